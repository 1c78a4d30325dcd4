import type { GraphiQLPlugin } from "@graphiql/react";
import { Facts } from "../base/facts.tsx";
import { iconOf } from "../base/icon.tsx";
import type { Ask } from "../base/ask.ts";
import type { Config } from "../base/config.ts";
import { Card } from "./card.tsx";
import { missingSettings } from "./missing.ts";

/** A panel that lists the ready-made operations and opens them in tabs, and says what the gateway cannot do. */
export function operationsPlugin(config: Config, ask: Ask): GraphiQLPlugin {
  return { title: "Operations", icon: iconOf("M1 3h2M5 3h8M1 7h2M5 7h8M1 11h2M5 11h8"), content: () => <Operations config={config} ask={ask} /> };
}

function Operations({ config, ask }: { config: Config; ask: Ask }) {
  const missing = missingSettings(config);
  return (
    <section aria-label="Operations" className="console-panel">
      <h2 className="graphiql-doc-explorer-title">Operations</h2>
      <ul className="console-operations">
        {config.operations.map((operation) => (
          <Card key={operation.name} operation={operation} config={config} ask={ask} />
        ))}
      </ul>
      {missing.length > 0 && (
        <>
          <h3>Not configured</h3>
          <Facts className="operations-missing" rows={missing.map(({ setting, effect }) => [<code>{setting}</code>, effect])} />
        </>
      )}
    </section>
  );
}
