// Named cases: every kind of document and variable that implementations are known to treat differently, so that a
// change of the generator cannot lose one. The reference decides whether a case is valid.

/**
 * The cases, as requests with a name.
 *
 * @param {{ transactions: string[], withdrawals: string[], notifications: string[], cursors: string[], days: string[] }} known
 */
export function corpus(known) {
  const transaction = `transaction(id: "${known.transactions[0]}")`;
  const cases = [
    ...documents(transaction), ...texts(transaction), ...literals(known.transactions[0]),
    ...variables(known), ...conditions(transaction), ...operations(transaction), ...sums(known.days.at(-1)),
  ];
  return cases.map(
    ([name, query, given, operationName]) => ({ name, query, variables: given, operationName }),
  );
}

// A third of the records are broken: three times all of them have more errors than an answer may hold.
const manyErrors = `{ ${Array.from({ length: 36 }, (_, i) => `p${i}: deposits(page: ${(i % 12) + 1}, perPage: 20) { nodes { ...D } }`).join(' ')} }
  fragment D on Deposit {
    id amount status createdAt updatedAt acquirer feeAmount endToEnd depositOrigin payer { name document type } statusHistory { status date }
  }`;

/** Sums by each date, in all and by each group, of all days and of one, with and without fees. */
function sums(day) {
  const filter = `filter: {startDate: "${day}T00:00:00Z"}, maxPages: 200`;
  const amounts = 'count amount refundAmount unreadable pagesRead complete reason';
  const group = 'day status statusRaw count amount refundAmount';
  const lists = [
    ['depositSummary', 'amountPaid', 'netAmount', 'PAYMENT_DATE', '[DAY, STATUS, ORIGIN]', 'depositOrigin depositOriginRaw'],
    ['withdrawalSummary', 'amountWithdrawn', '', 'PROCESSED_DATE', '[STATUS, DAY]', ''],
  ];
  return lists.flatMap(([field, moved, net, dated, by, more]) => ['CREATED_AT', dated, 'REFUND_DATE'].flatMap((dayOf) => [
    [`${field} by ${dayOf}`, `{ ${field}(maxPages: 6, dayOf: ${dayOf}, groupBy: ${by}) { ${amounts} ${moved} groups { ${group} ${more} ${moved} } } }`],
    [`${field} of a day by ${dayOf}`, `{ ${field}(${filter}, dayOf: ${dayOf}, groupBy: [DAY], fromDay: "${day}", toDay: "${day}", timeZone: "UTC") {
      ${amounts} ${moved} groups { ${group} feeAmount ${net} } } }`],
    [`${field} from a day by ${dayOf}`, `{ ${field}(${filter}, dayOf: ${dayOf}, fromDay: "${day}") { ${amounts} ${moved} feeAmount ${net} } }`],
  ]));
}

/** Documents that validation refuses, or must not. */
function documents(transaction) {
  return [
    ['an empty document', ''],
    ['only a comment', '# nothing'],
    ['only a fragment', 'fragment F on Query { __typename }'],
    ['an empty selection', '{ }'],
    ['an unknown field', '{ unknown }'],
    ['an unknown field of an inline fragment', '{ ... on Query { unknown } }'],
    ['a leaf with a selection', `{ ${transaction} { id { x } } }`],
    ['an object without a selection', `{ ${transaction} }`],
    ['an unknown argument', '{ deposits(size: 1) { perPage } }'],
    ['an argument twice', '{ deposits(page: 1, page: 1) { perPage } }'],
    ['a required argument that is absent', '{ transaction { id } }'],
    ['an argument of __typename', '{ __typename(a: 1) }'],
    ['fields that cannot be merged', '{ deposits(page: 1) { perPage } deposits(page: 2) { perPage } }'],
    ['fields that can be merged', '{ deposits(page: 1) { perPage } deposits(page: 1) { totalPages perPage } }'],
    ['aliases that cannot be merged', `{ ${transaction} { a: id a: status } }`],
    ['types that cannot be merged', `{ ${transaction} { a: id a: amount } }`],
    ['arguments in another order', '{ deposits(page: 1, perPage: 2) { perPage } deposits(perPage: 2, page: 1) { totalPages } }'],
    ['equal arguments in another notation', '{ deposits(filter: {status: [PAID]}) { perPage } deposits(filter: {status: PAID}) { perPage } }'],
    ['an unused fragment', '{ __typename } fragment F on Query { __typename }'],
    ['an unknown fragment', '{ ...F }'],
    ['a fragment twice', '{ ...F } fragment F on Query { __typename } fragment F on Query { __typename }'],
    ['a fragment that spreads itself', '{ ...F } fragment F on Query { ...F }'],
    ['fragments that spread each other', '{ ...F } fragment F on Query { ...G } fragment G on Query { ...F }'],
    ['a fragment on a scalar', '{ ...F } fragment F on String { length }'],
    ['a fragment on an input', '{ ...F } fragment F on DepositFilter { status }'],
    ['a fragment on an unknown type', '{ ...F } fragment F on Unknown { a }'],
    ['a fragment of another type', `{ ${transaction} { ... on Deposit { id } } }`],
    ['a fragment named on', '{ ...on } fragment on on Query { __typename }'],
    ['variables of a fragment', '{ ...F } fragment F($x: Int = 1) on Query { __typename }'],
    ['variables of a fragment that are used', '{ ...F } fragment F($x: Int = 1) on Query { deposits(page: $x) { perPage } }'],
    ['arguments of a spread', '{ ...F(x: 1) } fragment F($x: Int) on Query { deposits(page: $x) { perPage } }'],
    ['an unknown directive', '{ __typename @unknown }'],
    ['a directive at an invalid location', 'query @skip(if: true) { __typename }'],
    ['a directive of the schema', '{ __typename @oauthScopes(scopes: [["a"]]) }'],
    ['@deprecated on a field', '{ __typename @deprecated }'],
    ['@defer', '{ ... @defer { __typename } }'],
    ['@defer with arguments', '{ ... @defer(if: false, label: "x") { __typename } }'],
    ['@stream', '{ deposits { nodes @stream { id } } }'],
    ['@oneOf on a field', '{ __typename @oneOf }'],
    ['a directive twice', '{ __typename @skip(if: false) @skip(if: false) }'],
    ['a directive without its argument', '{ __typename @skip }'],
    ['more errors than an answer may hold', manyErrors],
    ['a mutation', 'mutation { __typename }'],
    ['a subscription', 'subscription { __typename }'],
    ['a subscription with a condition', 'subscription ($v: Boolean! = false) { withdrawals @include(if: $v) { perPage } }'],
    ['a type definition', '{ __typename } type T { a: Int }'],
    ['a type extension', '{ __typename } extend type Query { a: Int }'],
    ['a description of an operation', '"d" query { __typename }'],
    ['an introspection field below the root', `{ ${transaction} { __schema { queryType { name } } } }`],
    ['an introspection field without its argument', '{ __type { name } }'],
    ['the root types', '{ __schema { queryType { name } mutationType { name } subscriptionType { name } } }'],
    ['a type by name', '{ __type(name: "PageInfo") { kind name fields { name type { kind name ofType { name } } } } }'],
    ['an unknown type', '{ __type(name: "Unknown") { name } }'],
    ['a type name of null', '{ __type(name: null) { name } }'],
    ['nested typenames', `{ __typename ${transaction} { __typename customer { __typename } } __schema { __typename } }`],
    ['an alias that begins with two underscores', '{ __a: __typename }'],
    ['an alias named __typename', '{ __typename: __typename }'],
    ['an alias named as a prototype', '{ constructor: __typename __proto__: __typename toString: __typename }'],
    ['an undefined variable', '{ deposits(page: $n) { perPage } }'],
    ['an undefined variable of a fragment',
      'query ($n: Int) { deposits(page: $n) { perPage } ...F } fragment F on Query { a: deposits(page: $m) { perPage } }'],
    ['an unused variable', 'query ($n: Int) { __typename }'],
    ['a variable twice', 'query ($n: Int, $n: Int) { deposits(page: $n) { perPage } }'],
    ['a variable of an output type', 'query ($n: Deposit) { __typename @skip(if: $n) }'],
    ['a variable of an unknown type', 'query ($n: Unknown) { deposits(page: $n) { perPage } }'],
    ['a variable in a default', 'query ($m: Int = 1, $n: Int = $m) { deposits(page: $n, perPage: $m) { perPage } }'],
    ['a directive of a variable', 'query ($n: Int = 1 @skip(if: true)) { deposits(page: $n) { perPage } }'],
    ['an unknown directive of a variable', 'query ($n: Int = 1 @a) { deposits(page: $n) { perPage } }'],
    ['empty variable definitions', 'query () { __typename }'],
    ['empty arguments', '{ deposits() { perPage } }'],
  ];
}

/** Texts that parsers treat differently. */
function texts(transaction) {
  return [
    ['half a surrogate pair in an escape', '{ __type(name: "\\ud800") { name } }'],
    ['the other half', '{ __type(name: "\\udc00") { name } }'],
    ['halves in the wrong order', '{ __type(name: "\\udc00\\ud800") { name } }'],
    ['a surrogate pair', '{ __type(name: "\\ud83d\\ude00") { name } }'],
    ['half a surrogate pair in the text', '{ __type(name: "\ud800") { name } }'],
    ['half a surrogate pair in a comment', '{ __typename } # \ud800'],
    ['an escape with braces', '{ __type(name: "\\u{1F600}") { name } }'],
    ['an escape with braces beyond Unicode', '{ __type(name: "\\u{110000}") { name } }'],
    ['an escape with braces of a surrogate', '{ __type(name: "\\u{D800}") { name } }'],
    ['an escape with no digits', '{ __type(name: "\\u{}") { name } }'],
    ['an escape that is too short', '{ __type(name: "\\u12") { name } }'],
    ['an unknown escape', '{ __type(name: "\\x") { name } }'],
    ['a line break in a string', '{ __type(name: "a\nb") { name } }'],
    ['a tab in a string', '{ __type(name: "a\tb") { name } }'],
    ['a control character in a string', '{ __type(name: "a\u0001b") { name } }'],
    ['a control character in a document', '{ __typename \u0001 }'],
    ['a control character in a comment', '{ __typename } # \u0007'],
    ['an escaped NUL', '{ __type(name: "\\u0000") { name } }'],
    ['a block string', '{ __type(name: """PageInfo""") { name } }'],
    ['an indented block string', '{ __type(name: """\n  PageInfo\n  """) { name } }'],
    ['quotes in a block string', '{ __type(name: """a\\"""b""") { name } }'],
    ['an unterminated block string', '{ __type(name: """a) { name } }'],
    ['an unterminated string', '{ __type(name: "a) { name } }'],
    ['a byte order mark', '\ufeff{ __typename }'],
    ['a byte order mark within', '{ \ufeff __typename }'],
    ['commas everywhere', ',,{,,__typename,,},,'],
    ['a carriage return', '{\r__typename # a\r}'],
    ['a line separator in a comment', '{ # \u2028 } \n __typename }'],
    ['a no-break space', '{ __typename\u00a0}'],
    ['a letter that is not ASCII', '{ é }'],
    ['a name with a digit first', '{ 1a }'],
    ['a number with a letter', '{ deposits(page: 1a) { perPage } }'],
    ['a number with an underscore', '{ deposits(page: 1_0) { perPage } }'],
    ['a number with a leading zero', '{ deposits(page: 01) { perPage } }'],
    ['only a minus', '{ deposits(page: -) { perPage } }'],
    ['minus zero', '{ deposits(page: -0) { perPage } }'],
    ['a number that ends with a point', '{ deposits(page: 1.) { perPage } }'],
    ['a number with two points', '{ deposits(page: 1.1.1) { perPage } }'],
    ['numbers without a space', '{ deposits(filter: {status: [PAID]}, page: 1perPage: 2) { perPage } }'],
    ['two dots', '{ ..F }'],
    ['four dots', '{ ....F }'],
    ['an ampersand', '{ __typename & }'],
    ['a spread without a space', '{...on Query{__typename}}'],
    ['keywords as names', `{ query: __typename fragment: __typename on: __typename true: __typename null: __typename type: ${transaction} { on: id } }`],
    ['an additional brace', '{ __typename } }'],
    ['a missing brace', '{ __typename '],
    ['an additional colon', '{ a:: __typename }'],
    ['only a dollar', 'query ($: Int) { __typename }'],
    ['only an at', '{ __typename @ }'],
  ];
}

const scalars = [
  '1', '"1"', '1.0', '5.0', '1.5', '1e1', '{}', '{a: 1}', '[]', '[1]', '[[1]]', 'true', 'PAID', 'null', '""', '"x"',
  '2147483647', '2147483648', '-2147483648', '-2147483649',
  '9223372036854775807', '9223372036854775808', '123456789012345678901234567890', '0.0', '-1', '"""x"""',
];

/** Every literal for every type of argument, on its own and in a list or an input object. */
function literals(id) {
  const places = {
    Int: (value) => `{ deposits(page: ${value}) { currentPage } }`,
    String: (value) => `{ deposits(after: ${value}) { currentPage } }`,
    'String!': (value) => `{ __type(name: ${value}) { name } }`,
    'ID!': (value) => `{ transaction(id: ${value}) { id } }`,
    '[ID!]!': (value) => `{ transactions(ids: ${value}) { id } }`,
    Cents: (value) => `{ deposits(filter: {minAmount: ${value}}) { totalCount } }`,
    DateTime: (value) => `{ deposits(filter: {startDate: ${value}}) { totalCount } }`,
    '[DepositStatus!]': (value) => `{ deposits(filter: {status: ${value}}) { totalCount } }`,
    DepositFilter: (value) => `{ deposits(filter: ${value}) { totalCount } }`,
    'Boolean!': (value) => `{ __typename @include(if: ${value}) }`,
  };
  const more = [
    ['an unknown member', '{ deposits(filter: {a: 1}) { totalCount } }'],
    ['a member twice', '{ deposits(filter: {minAmount: 1, minAmount: 2}) { totalCount } }'],
    ['__typename in an input object', '{ deposits(filter: {__typename: "DepositFilter"}) { totalCount } }'],
    ['one enum value for a list', '{ deposits(filter: {status: PAID}) { totalCount } }'],
    ['an enum value as a string', '{ deposits(filter: {status: ["PAID"]}) { totalCount } }'],
    ['a null in a list of non-null', '{ deposits(filter: {status: [PAID, null]}) { totalCount } }'],
    ['an unknown enum value', '{ deposits(filter: {status: [NEW]}) { totalCount } }'],
    ['a list in a list', '{ deposits(filter: {status: [[PAID]]}) { totalCount } }'],
    ['an id that is a number', '{ notification(id: 5) { id } }'],
    ['an id that is minus zero', `{ transaction(id: "${id}") { notifications(ids: ["x", -0]) { links { notificationId } } } }`],
    ['an id that is a large number', '{ notification(id: 9223372036854775808) { id } }'],
    ['a leap day', '{ deposits(filter: {startDate: "2028-02-29T00:00:00Z"}) { totalCount } }'],
    ['a date without time', '{ deposits(filter: {startDate: "2026-01-01"}) { totalCount } }'],
  ];
  const each = Object.entries(places).flatMap(([type, place]) => scalars.map((value) => [`the literal ${value} for ${type}`, place(value)]));
  const defaults = scalars.map((value) => [`the default ${value} for Int`, `query ($n: Int = ${value}) { deposits(page: $n) { currentPage } }`, '{}']);
  return [...each, ...defaults, ...more.map(([name, query]) => [`literal: ${name}`, query])];
}

const given = [
  '1', '"1"', '1.0', '5.0', '1.5', '1e1', '1E0', '{}', '{"a":1}', '[]', '[1]', '[[1]]', '["1"]', '[null]', 'true', '"true"',
  '"PAID"', '["PAID"]', '["PAID","NEW"]', 'null', '""',
  '"x"', '2147483647', '2147483648', '-2147483649', '9007199254740993', '9223372036854775807', '9223372036854775808', '1E400', '-0', '"\\ud800"', '"\\u0000"',
  '{"minAmount":1}', '{"minAmount":"1"}', '{"minAmount":1.5}', '{"minAmount":5.0}', '{"minAmount":null}', '{"minAmount":1,"a":2}',
  '{"__typename":"DepositFilter"}',
  '{"minAmount":1,"__typename":"DepositFilter"}', '{"status":"PAID"}', '{"status":["PAID",null]}', '{"status":[1]}', '{"startDate":"x"}', '{"Status":["PAID"]}',
];

/** Every value for a variable of every type, and no value. */
function variables(known) {
  const places = {
    Int: 'query ($v: Int) { deposits(page: $v) { currentPage } }',
    'Int = 2': 'query ($v: Int = 2) { deposits(page: $v) { currentPage } }',
    'Int!': 'query ($v: Int!) { deposits(page: $v) { currentPage } }',
    String: 'query ($v: String) { deposits(after: $v) { currentPage } }',
    'String!': 'query ($v: String!) { __type(name: $v) { name } }',
    'String = "Int" for String!': 'query ($v: String = "Int") { __type(name: $v) { name } }',
    ID: 'query ($v: ID) { withdrawals(filter: {id: $v}) { totalCount } }',
    'ID!': 'query ($v: ID!) { notification(id: $v) { id } }',
    '[ID!]!': 'query ($v: [ID!]!) { notifications(ids: $v) { id } }',
    '[ID!]': `query ($v: [ID!]) { transaction(id: "${known.transactions[0]}") { notifications(ids: $v) { __typename } } }`,
    Cents: 'query ($v: Cents) { deposits(filter: {minAmount: $v}) { totalCount } }',
    DateTime: 'query ($v: DateTime) { deposits(filter: {startDate: $v}) { totalCount } }',
    DepositStatus: 'query ($v: DepositStatus!) { deposits(filter: {status: [$v]}) { totalCount } }',
    '[DepositStatus!]': 'query ($v: [DepositStatus!]) { deposits(filter: {status: $v}) { totalCount } }',
    DepositFilter: 'query ($v: DepositFilter) { deposits(filter: $v) { totalCount } }',
    'Boolean!': 'query ($v: Boolean!) { __typename @include(if: $v) }',
    'Boolean = true': 'query ($v: Boolean = true) { a: __typename deposits { perPage @include(if: $v) } }',
    'Boolean! = false': 'query ($v: Boolean! = false) { __typename @skip(if: $v) }',
    'a type that is unused at run time': 'query ($v: Int) { __typename ... @include(if: false) { deposits(page: $v) { perPage } } }',
  };
  const each = Object.entries(places).flatMap(([type, query]) => [
    ...given.map((value) => [`the variable ${value} for ${type}`, query, `{"v":${value}}`]),
    [`no variable for ${type}`, query, '{}'],
    [`no variables for ${type}`, query],
  ]);
  const two = 'query ($a: Int, $b: Int) { deposits(page: $a, perPage: $b) { currentPage perPage } }';
  return [
    ...each,
    ['two wrong variables', two, '{"a":"1","b":"2"}'],
    ['a variable that is not defined', two, '{"c":1}'],
    ['variables of null', two, 'null'],
    ['variables that are a list', two, '[]'],
    ['variables that are a text', two, '"{}"'],
    ['a variable twice', two, '{"a":1,"a":2}'],
    ['a variable in a list', 'query ($a: ID!, $b: ID!) { notifications(ids: [$a, $b]) { id } }', '{"a":"x","b":5}'],
    ['a variable in an input object', 'query ($a: Cents, $b: [DepositStatus!]) { deposits(filter: {minAmount: $a, status: $b}) { totalCount } }', '{}'],
    ['a nullable variable for a non-null', 'query ($a: ID) { notification(id: $a) { id } }', '{"a":"x"}'],
    ['a nullable variable with a default for a non-null', 'query ($a: ID = "x") { notification(id: $a) { id } }', '{"a":null}'],
    ['a nullable item variable for a list of non-null', 'query ($a: ID) { notifications(ids: [$a]) { id } }', '{"a":"x"}'],
    ['a list variable for an item', 'query ($a: [ID!]!) { notification(id: $a) { id } }', '{"a":["x"]}'],
    ['an item variable for a list', 'query ($a: ID!) { notifications(ids: $a) { id } }', '{"a":"x"}'],
    ['an Int variable for an ID', 'query ($a: Int!) { notification(id: $a) { id } }', '{"a":5}'],
    ['an Int variable for Cents', 'query ($a: Int) { deposits(filter: {minAmount: $a}) { totalCount } }', '{"a":5}'],
    ['a default null for a non-null', 'query ($a: ID! = null) { notification(id: $a) { id } }', '{}'],
    ['a variable with default null for a non-null', 'query ($a: ID = null) { notification(id: $a) { id } }', '{"a":"x"}'],
  ];
}

/** @skip and @include. */
function conditions(transaction) {
  const fields = 'query ($a: Boolean!, $b: Boolean = true) { ' + transaction +
    ' { id @include(if: $a) status @skip(if: $a) amount @include(if: $b) @skip(if: $a) } }';
  return [
    ...['{"a":true}', '{"a":false}', '{"a":true,"b":false}', '{"a":false,"b":null}', '{}', '{"a":null}'].map((value) =>
      [`conditions with ${value}`, fields, value]),
    ['an empty object as condition', `{ ${transaction} { id @include(if: {}) } }`],
    ['null as condition', `{ ${transaction} { id @include(if: null) } }`],
    ['every field is excluded', `{ ${transaction} { id @include(if: false) } __typename @skip(if: true) }`],
    ['one of two fields is excluded', `{ ${transaction} { id @include(if: false) id } }`],
    ['one of two selections is excluded', `{ ${transaction} @skip(if: true) { id } ${transaction} { status } }`],
    ['a spread is excluded', `{ ${transaction} { ...F @skip(if: true) amount } } fragment F on Transaction { id }`],
    ['a fragment is spread twice, one spread is excluded', `{ ${transaction} { ...F @skip(if: true) ...F } } fragment F on Transaction { id }`],
    ['null conditions in two root fields',
      `query ($a: Boolean = true) { ${transaction} { id @include(if: $a) } deposits { perPage @include(if: $a) } }`, '{"a":null}'],
  ];
}

/** Several operations in one document. */
function operations(transaction) {
  const two = `query A($x: Boolean! = true) { ...F } query B($x: Boolean! = false) { ...F }
    fragment F on Query { ${transaction} { id @include(if: $x) status @skip(if: $x) } }`;
  const alike = `query A { r: ${transaction} { a: id } } query B { r: ${transaction} { a: status } }`;
  const more = `query A($a: Boolean!, $b: Boolean!) { ...F ${transaction} { amount @skip(if: $b) } }
    query B($b: Boolean!, $a: Boolean!) { ...F } fragment F on Query { ${transaction} { id @include(if: $a) status @include(if: $b) } }`;
  return [
    ['the first of two', two, '{}', 'A'],
    ['the second of two', two, '{}', 'B'],
    ['the first of two again', two, '{"x":false}', 'A'],
    ['a field with the same key in the first of two', alike, '{}', 'A'],
    ['a field with the same key in the second of two', alike, '{}', 'B'],
    ['a fragment and more in the first of two', more, '{"a":true,"b":false}', 'A'],
    ['only a fragment in the second of two', more, '{"a":true,"b":false}', 'B'],
    ['a fragment and more with other variables', more, '{"a":false,"b":true}', 'A'],
    ['only a fragment with other variables', more, '{"a":false,"b":true}', 'B'],
    ['none of two', two, '{}'],
    ['an unknown operation', two, '{}', 'C'],
    ['the name of a fragment', two, '{}', 'F'],
    ['a name in lower case', two, '{}', 'a'],
    ['a name for an unnamed operation', '{ __typename }', '{}', 'A'],
    ['two unnamed operations', '{ __typename } { __typename }'],
    ['a named and an unnamed operation', '{ __typename } query A { __typename }', '{}', 'A'],
    ['two with the same name', 'query A { __typename } query A { __typename }', '{}', 'A'],
    ['an invalid operation that is not selected', 'query A { __typename } query B { unknown }', '{}', 'A'],
    ['a mutation that is not selected', 'query A { __typename } mutation B { __typename }', '{}', 'A'],
    ['a subscription that is not selected', 'query A { __typename } subscription B { deposits { perPage } }', '{}', 'A'],
    ['a subscription that is selected', 'query A { __typename } subscription B { deposits { perPage } }', '{}', 'B'],
    ['variables of another operation',
      'query A($x: Int) { deposits(page: $x) { perPage } } query B($x: String!) { __type(name: $x) { name } }', '{"x":"Int"}', 'B'],
  ];
}
