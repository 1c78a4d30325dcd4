import relay from 'relay-runtime';
import { events } from './live.js';

/** The second argument of Network.create. */
export const subscribeFunction = (url, send) => ({ text }, variables) => relay.Observable.create((sink) => {
  const control = new AbortController();
  async function forward() {
    for await (const result of events(url, { query: text, variables }, { send, signal: control.signal })) sink.next(result);
  }
  forward().then(sink.complete, (error) => control.signal.aborted || sink.error(error));
  return () => control.abort();
});
