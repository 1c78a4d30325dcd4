import { CopyButton } from "../parts/copy.tsx";
import { Moment } from "../parts/moment.tsx";
import { Panel } from "../parts/panel.tsx";
import { payment as words } from "../words/payment.ts";
import { useWords } from "../words/words.tsx";
import type { Deposit } from "./documents.ts";

/** The Pix code of a payment, as its payer gets it. */
export function PixCode({ code }: { code: NonNullable<Deposit["pixResponse"]> }) {
  const w = useWords(words);
  return (
    <Panel title={w.code}>
      <div className="pix-code">
        {/^data:image\/(png|jpeg|gif|webp|svg\+xml)[;,]/.test(code.qrCodeBase64) && <img src={code.qrCodeBase64} alt={w.codeAlt} width="144" height="144" />}
        <div>
          <p className="pix-text"><code>{code.uri}</code></p>
          <div className="buttons"><CopyButton text={code.uri} what={w.code}>{w.copyCode}</CopyButton></div>
          <p className="fine">{w.expires} <Moment at={code.expirationDate} /></p>
        </div>
      </div>
    </Panel>
  );
}
