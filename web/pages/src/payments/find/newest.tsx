import type { Config } from "../../base/config.ts";
import type { Gateway } from "../gateway.ts";
import { Empty, Panel, Read } from "../parts/panel.tsx";
import { readPage } from "../pages.ts";
import { useReading } from "../parts/read.ts";
import { home } from "../words/home.ts";
import { useWords } from "../words/words.tsx";
import { depositRow, type DepositRow } from "../rows/rowdata.ts";
import { DepositRows } from "../rows/rows.tsx";

const shown = 10;

/** The newest deposits, as far as the order of the API is that. */
export function NewestDeposits({ config, gateway }: { config: Config; gateway: Gateway }) {
  const words = useWords(home);
  const reading = useReading("newest", async (signal) => {
    const list = { kind: "deposits", filter: {}, selection: "...DepositRow", fragments: depositRow } as const;
    return (await readPage<DepositRow>(gateway, config, list, { page: 1, size: shown }, signal)).nodes.slice(0, shown);
  });
  return (
    <Panel title={words.newest} aside={<p className="fine">{words.newestWhy}</p>}>
      <Read reading={reading}>
        {(rows) => (rows.length === 0
          ? <Empty>{words.noDeposits}</Empty>
          : <DepositRows rows={rows} gateway={gateway} config={config} label={words.newest} />)}
      </Read>
    </Panel>
  );
}
