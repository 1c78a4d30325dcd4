/** An event of a stream of server-sent events. */
export interface Message {
  event: string;
  data: string;
}

/**
 * Reads server-sent events from the body of a response, as the HTML standard defines them: with lines that end with
 * LF or CRLF, without ids and retry times.
 * heard is called for every piece that arrives, also for comments, which are the heartbeats of a stream.
 */
export async function* messagesIn(body: ReadableStream<Uint8Array>, heard: () => void): AsyncGenerator<Message> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let message: Message = { event: "", data: "" };
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return; // an event without its empty line is not complete
    heard();
    const lines = (rest + decoder.decode(value, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line !== "") {
        message = withLine(message, line);
        continue;
      }
      if (message.event !== "" || message.data !== "") yield { ...message, data: message.data.slice(0, -1) };
      message = { event: "", data: "" };
    }
  }
}

function withLine({ event, data }: Message, line: string): Message {
  const [, field, value = ""] = /^([^:]*)(?::[ ]?(.*))?$/s.exec(line) ?? [];
  if (field === "event") return { event: value, data };
  return field === "data" ? { event, data: `${data}${value}\n` } : { event, data };
}
