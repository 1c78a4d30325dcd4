// A reporter for node --test that makes a run with a skipped test, a test marked "todo", or no test at all a failed one:
// a test that did not run has shown nothing. The spec reporter beside it does the printing.

export default async function* skipped(events) {
  let ran = 0;
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const empty = data.nesting === 0 && data.name === data.file; // a file without tests is reported as one that passes
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
