// Reduces a document that shows a difference: removes what is not needed for it, to a nearly minimal document.

import { Kind, parse, print, visit } from 'graphql';

import { difference } from './compare.js';
import { deviations } from './deviations.js';

const attempts = 400; // maximum number of requests for a reduction

/** The request with a smaller document. */
export async function reduced(world, request) {
  const kind = await differs(world, request);
  let left = attempts;
  for (let position = 0; left > 0; ) {
    const candidates = [...smallerThan(request.query)];
    if (position >= candidates.length) break;
    const query = candidates[position];
    left--;
    if (query.length < request.query.length && (await differs(world, { ...request, query })) === kind) request = { ...request, query };
    else position++;
  }
  return request;
}

/** The difference of a request's outcomes, without details that are specific to the request. */
async function differs(world, request) {
  const { reference, gateway } = await world.outcomes(request);
  const text = difference(reference, gateway, world.cursors);
  if (!text || deviations.some(({ matches }) => matches({ request, reference, gateway, text }))) return undefined;
  return text.replace(/[:,].*/s, '').replace(/ \S*\.\S*/g, '');
}

const removableKinds = [
  Kind.OPERATION_DEFINITION, Kind.FRAGMENT_DEFINITION, Kind.FIELD, Kind.INLINE_FRAGMENT, Kind.FRAGMENT_SPREAD, Kind.ARGUMENT,
  Kind.DIRECTIVE, Kind.VARIABLE_DEFINITION, Kind.OBJECT_FIELD,
];

/** The documents that result from removing one node, or one token if the document cannot be parsed. */
function* smallerThan(query) {
  let document;
  try {
    document = parse(query);
  } catch {
    const tokens = query.match(/"(?:[^"\\\n]|\\.)*"|[\w.$@]+|\s+|./gsu) ?? [];
    for (let size = Math.max(1, tokens.length >> 1); size >= 1; size >>= 1) {
      for (let at = 0; at < tokens.length; at += size) yield tokens.toSpliced(at, size).join('');
    }
    return;
  }
  const removable = [];
  visit(document, {
    enter(node) {
      if (removableKinds.includes(node.kind)) removable.push(node);
    },
  });
  for (const node of removable) {
    yield print(pruned(visit(document, { enter: (other) => (other === node ? null : undefined) }))).replace(/\s+/g, ' ');
  }
}

/** The document without unused fragments, spreads of undefined fragments, and unused variables. */
function pruned(document) {
  const spread = new Set();
  const used = new Set();
  const defined = new Set(document.definitions.map(({ name }) => name?.value));
  const reach = (node) =>
    visit(node, {
      FragmentSpread({ name }) {
        if (spread.has(name.value)) return;
        spread.add(name.value);
        const fragment = document.definitions.find((one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === name.value);
        if (fragment) reach(fragment);
      },
      VariableDefinition: () => false,
      Variable: ({ name }) => void used.add(name.value),
    });
  document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).forEach(reach);
  return visit(document, {
    FragmentDefinition: ({ name }) => (spread.has(name.value) ? undefined : null),
    FragmentSpread: ({ name }) => (defined.has(name.value) ? undefined : null),
    VariableDefinition: ({ variable }) => (used.has(variable.name.value) ? undefined : null),
  });
}
