import { CopyButton } from "../parts/copy.tsx";
import { Moment } from "../parts/moment.tsx";
import { Panel } from "../parts/panel.tsx";
import { payment as words } from "../words/payment.ts";
import { useWords } from "../words/words.tsx";
import { isBefore } from "../zone.ts";
import type { Deposit } from "./documents.ts";

/** The statuses in which a payer still needs the code. */
const awaited: ReadonlySet<string> = new Set(["PENDING", "PIX_QRCODE_GENERATED", "DEPOSIT_PIXKEY_GENERATED"]);

/** The Pix code of a payment, as its payer gets it. It is folded when nobody should pay with it. */
export function PixCode({ code, status }: { code: NonNullable<Deposit["pixResponse"]>; status: string }) {
  const w = useWords(words);
  const isPast = isBefore(code.expirationDate, Date.now());
  return (
    <Panel title={w.code}>
      <details open={awaited.has(status) && !isPast}>
        <summary>{isPast ? w.expired : w.expires} <Moment at={code.expirationDate} /></summary>
        <div className="pix-code">
          {/^data:image\/(png|jpeg|gif|webp)[;,]/.test(code.qrCodeBase64) && <img src={code.qrCodeBase64} alt={w.codeAlt} width="144" height="144" />}
          <div>
            <p className="pix-text"><code>{code.uri}</code></p>
            <div className="buttons"><CopyButton text={code.uri} what={w.code}>{w.copyCode}</CopyButton></div>
          </div>
        </div>
      </details>
    </Panel>
  );
}
