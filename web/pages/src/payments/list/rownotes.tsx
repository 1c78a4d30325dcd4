import { Identifier } from "../parts/identifier.tsx";
import { Name } from "../parts/text.tsx";
import { Moment } from "../parts/moment.tsx";
import { list } from "../words/list.ts";
import { useWords } from "../words/words.tsx";
import { dateField, type ListRoute } from "./query.ts";
import type { Row } from "./reading.ts";

interface Props {
  route: ListRoute;
  row: Row;
}

/** When a record was paid or processed, and refunded, as a statement has it. */
export function TimeNote({ route: { kind }, row: { movedAt, refundDate } }: Props) {
  const words = useWords(list);
  return (
    <>
      {movedAt !== null && <div>{words.at[dateField(kind, "payment")]} <Moment at={movedAt} /></div>}
      {refundDate !== null && <div>{words.at["refundDate"]} <Moment at={refundDate} /></div>}
    </>
  );
}

/** The EndToEndId of a record, or of its refund in a list of refunds, and the code by which the client of the API knows it. */
export function CodesNote({ route: { dayOf }, row: { endToEnd, endToEndRefund, externalCode } }: Props) {
  const words = useWords(list);
  const id = dayOf === "refund" ? endToEndRefund : endToEnd;
  return (
    <>
      {id !== null && <Identifier id={id} what={dayOf === "refund" ? words.endToEndRefund : words.endToEnd} />}
      {externalCode !== null && <div><Name>{externalCode}</Name></div>}
    </>
  );
}
