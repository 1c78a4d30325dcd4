/**
 * The names of columns in a file for people who read Portuguese. They are aliases of GraphQL, which have neither spaces nor
 * accents. A file for programs keeps the names of the schema.
 */
const portuguese: Readonly<Record<string, string>> = {
  createdAt: "criado_em", paymentDate: "pago_em", processedDate: "processado_em", refundDate: "devolvido_em", statusRaw: "situacao",
  amount: "valor", amountPaid: "valor_pago", amountWithdrawn: "valor_sacado", feeAmount: "tarifa", refundAmount: "valor_devolvido",
  netAmount: "valor_liquido", endToEnd: "EndToEndId", endToEndRefund: "EndToEndId_da_devolucao", externalCode: "codigo_externo",
  payer: "pagador", receiver: "recebedor", name: "nome", document: "documento", pixKey: "chave_pix", key: "chave", type: "tipo",
  depositOriginRaw: "origem", acquirer: "adquirente", errorMessage: "erro", day: "dia", count: "quantidade",
};

/** The language of the names of columns: Portuguese, or that of the schema. */
export type Headers = "pt" | "schema";

/** The name of the column of a field. */
export function headerOf(field: string, headers: Headers): string {
  return headers === "pt" ? (portuguese[field] ?? field) : field;
}

/** A selection of fields without arguments, with the names of its columns. */
export function withHeaders(selection: string, headers: Headers): string {
  return selection.replaceAll(/\w+/g, (field) => {
    const header = headerOf(field, headers);
    return header === field ? field : `${header}: ${field}`;
  });
}
