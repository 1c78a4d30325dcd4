import { goTo } from "../route.ts";
import { list } from "../words/list.ts";
import { parts } from "../words/parts.ts";
import { useWords } from "../words/words.tsx";
import { statusesOf, type ListRoute } from "./query.ts";

/** The status of the records that are listed, added up and saved. */
export function StatusFilter({ route }: { route: ListRoute }) {
  const words = useWords(list);
  const { statuses } = useWords(parts);
  return (
    <label className="field">
      {words.statusFilter}
      <select value={route.status ?? ""} onChange={(event) => goTo({ ...route, status: event.target.value || null, page: 1 })}>
        <option value="">{words.anyStatus}</option>
        {statusesOf[route.kind].map((status) => <option key={status} value={status}>{statuses[status] ?? status}</option>)}
      </select>
    </label>
  );
}
