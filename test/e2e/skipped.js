// A reporter for node --test that fails a run with a skipped test, a test marked "todo", or no test at all: a test that
// did not run proves nothing. The spec reporter prints the results.

export default async function* skipped(events) {
  let ran = 0;
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const empty = data.nesting === 0 && data.name === data.file; // a file without tests is reported as a passed test
    if (data.skip !== undefined || data.todo !== undefined || empty) {
      process.exitCode = 1;
      yield `not run: ${data.name}\n`;
    } else {
      ran++;
    }
  }
  if (ran === 0) {
    process.exitCode = 1;
    yield 'no test ran\n';
  }
}
