import type { GraphiQLPlugin } from "@graphiql/react";
import { iconOf } from "../base/icon.tsx";
import { pageURL } from "../base/config.ts";

/** A panel that leads to Payments, which says whether the webhooks of a payment arrived, and why not. */
export const webhooksPlugin: GraphiQLPlugin = { title: "Webhooks", icon: iconOf("M1 3h12v8H1zM1 3l6 5 6-5"), content: Panel };

function Panel() {
  return (
    <section aria-label="Webhooks" className="console-panel">
      <h2 className="graphiql-doc-explorer-title">Why did no webhook arrive?</h2>
      <p>
        Payments shows the webhooks of a payment with each attempt to deliver them. It finds a payment by its id, its EndToEndId, its
        code, a Pix key, a name, or an amount and a day, and a webhook by its id.
      </p>
      <p><a href={pageURL("payments")}>Find a payment or a webhook</a></p>
    </section>
  );
}
