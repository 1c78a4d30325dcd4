import { addDays, weekOf } from "../zone.ts";
import { hrefOf, type Days, type Kind } from "../route.ts";
import { Panel } from "../parts/panel.tsx";
import { useToday } from "../parts/today.ts";
import { home } from "../words/home.ts";
import { useWords } from "../words/words.tsx";

/** Links to the lists of the days that are asked for most. */
export function Shortcuts() {
  const words = useWords(home);
  const today = useToday();
  const yesterday = addDays(today, -1);
  const spans: [string, Days][] = [
    [words.today, { from: today, to: today }], [words.yesterday, { from: yesterday, to: yesterday }], [words.week, weekOf(today)],
  ];
  return (
    <Panel title={words.lists}>
      <div className="home-lists">
        {(["deposits", "withdrawals"] as Kind[]).map((kind) => (
          <div key={kind}>
            <h3>{words[kind]}</h3>
            <ul className="buttons">
              {spans.map(([when, days]) => (
                <li key={when}>
                  <a
                    className="button" href={hrefOf({ view: "list", kind, days, status: null, page: 1 })}
                    aria-label={words.listName(words[kind], when)}
                  >
                    {when}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </Panel>
  );
}
