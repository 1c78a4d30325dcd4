// Reads all records of a list, one by one.

/** Yields the records, and throws at the end if they are not the whole list. */
export async function* download(url, token, query, variables) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/x-ndjson' },
    body: JSON.stringify({ query, variables }),
  });
  if (!response.ok) throw new Error(await response.text());
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const record = JSON.parse(line); // null if the record cannot be read
      const end = record?.['@download'];
      if (!end) yield record;
      else if (end.complete) return;
      else throw new Error(`not the whole list: ${end.reason}`);
    }
  }
  throw new Error('the connection ended before the last line');
}
