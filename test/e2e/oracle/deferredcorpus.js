// Named documents with @defer.

/**
 * Documents with @defer, for records of which many are null because of an error: the object with the fragment, an object around
 * it, or an object within the fragment.
 */
export function deferredCorpus(known) {
  const ids = (list) => list.slice(0, 40).map((id) => `"${id}"`).join(', ');
  const transactions = `transactions(ids: [${ids(known.transactions)}])`;
  const notifications = `notifications(ids: [${ids(known.notifications)}])`;
  const required = 'amount status acquirer createdAt updatedAt isInfoProduct statusHistory { status date }';
  const links = 'notifications { nodes { hash tenant status createdAt } links { state notification { hash url } } }';
  return [
    `{ ${transactions} { id ${required} ... @defer { ${links} } } }`,
    `{ ${transactions} { ... @defer { ${links} } id ${required} } }`,
    `{ ${transactions} { id ... @defer { ${links} ${required} } } }`,
    `{ ${transactions} { id customer { name document { value } } ... @defer { ${links} customer { email { value } ip } seller { name } } ${required} } }`,
    `{ ${transactions} { id timeline { source at } ... @defer { ${links} timeline { source status } pixResponse { uri } } ${required} } }`,
    `{ ${notifications} {
      ... @defer { withdrawal { id } } transaction { ${required} ... @defer { ${links} } } hash tenant createdAt updatedAt statusHistory { status }
    } }`,
    `{ ${notifications} { hash tenant url ... @defer { transaction { ${required} } a: transaction { id } } executions { url response { statusCode } } } }`,
    `{ ${notifications} { delivery { verdict } ... @defer { transaction { id ${required} } delivery { attempts lastAttemptAt } } } }`,
    `{ ${transactions} { id notifications { links { state notification { hash ... @defer { transaction { id } } status } } nodes { url } } } }`,
    `{ ${transactions} { id ... @defer(label: "a") { ${links} ... @defer(label: "b") { n: notifications { nodes { transaction { ${required} } } } } } } }`,
    `{ ${transactions} { id } ... @defer { a: ${transactions} { id ${required} ... @defer { ${links} } } } }`,
  ];
}
