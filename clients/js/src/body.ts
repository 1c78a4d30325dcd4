// The body of a response, read through a function.

/** The next part of a body. */
export type Read = () => Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>>;

/**
 * Returns the response with the same body, whose parts are those that `through` returns. `ended` is called once, when
 * the body has ended, failed or is no longer read.
 */
export function readThrough(
  response: Response, through: (read: Read) => ReturnType<Read>, ended: () => void = () => {},
): Response {
  const reader = response.body!.getReader();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const { done, value } = await through(() => reader.read() as ReturnType<Read>);
        if (!done) return controller.enqueue(value);
        ended();
        controller.close();
      } catch (error) {
        ended();
        reader.cancel(error).catch(() => {}); // also of a `fetch` that ignores its signal
        throw error;
      }
    },
    cancel(reason) {
      ended();
      return reader.cancel(reason);
    },
  }, { highWaterMark: 0 }); // nothing is read before it is wanted
  return new Response(body, response);
}
