// urql's normalized cache, Graphcache.

import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';

// The types without `id` are parts of the record that has them.
const part = () => null;
export const keys = {
  AccountHolder: part,
  Address: part,
  BRCode: part,
  BankAccount: part,
  Contact: part,
  Customer: part,
  Delivery: part,
  DepositGroup: part,
  DepositStatusHistory: part,
  DepositSummary: part,
  Document: part,
  EndToEndId: part,
  Execution: part,
  ExecutionResponse: part,
  Item: part,
  NotificationLink: part,
  NotificationStatusHistory: part,
  PaymentReceipt: part,
  PixKey: part,
  PixKeyText: part,
  PixProblem: part,
  PixResponse: part,
  Seller: part,
  TimelineEntry: part,
  TransactionNotifications: part,
  TransactionStatusHistory: part,
  WithdrawalGroup: part,
  WithdrawalStatusHistory: part,
  WithdrawalSummary: part,
};

/** The exchange, in place of urql's own cacheExchange. */
export const newCache = () => cacheExchange({
  keys,
  resolvers: {
    Query: {
      // With `first` and `after`, the pages become one list for each filter. Pages by number stay separate.
      deposits: relayPagination(),
      withdrawals: relayPagination(),
    },
  },
});
