// Inserts @defer into valid documents, and decides which of the fragments are deferred: by the rule of docs/defer.md, and
// without code of the gateway. Read insertDefer first, then decide.

import { getNamedType, isUnionType, Kind, SchemaMetaFieldDef, TypeMetaFieldDef, visit } from 'graphql';

const maxDefers = 5;

/** A copy of a document in which some selections are deferred, as fragments. */
export function insertDefer(document, random) {
  let left = maxDefers;
  let labels = 0;
  return visit(document, {
    SelectionSet: (node, key, parent) => {
      if (left === 0 || !random.percent(parent?.kind === Kind.OPERATION_DEFINITION ? 75 : 20)) return undefined;
      left--;
      const chosen = node.selections.filter(() => random.percent(60));
      if (chosen.length === 0) return undefined;
      const kept = node.selections.filter((one) => !chosen.includes(one) || random.percent(20));
      const args = [];
      if (random.percent(50)) args.push(argument('label', { kind: Kind.STRING, value: `l${labels++}` }));
      if (random.percent(15)) args.push(argument('if', { kind: Kind.BOOLEAN, value: random.percent(50) }));
      const selectionSet = { kind: Kind.SELECTION_SET, selections: chosen };
      const directives = [{ kind: Kind.DIRECTIVE, name: name('defer'), arguments: args }];
      return { ...node, selections: [...kept, { kind: Kind.INLINE_FRAGMENT, directives, selectionSet }] };
    },
  });
}

const name = (value) => ({ kind: Kind.NAME, value });

const argument = (key, value) => ({ kind: Kind.ARGUMENT, name: name(key), value });

/**
 * An operation with its named fragments in place, and @defer only where a fragment is deferred.
 *
 * @param {import('graphql').GraphQLSchema} schema
 * @param {Record<string, any>} variables with their defaults
 */
export function decide(schema, document, operation, variables) {
  const fragments = new Map(document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)
    .map((one) => [one.name.value, one]));
  const selectionSet = expand(operation.selectionSet, fragments, variables);
  decideObject(schema, schema.getQueryType(), [{ set: selectionSet, within: null }]);
  return { kind: Kind.DOCUMENT, definitions: [{ ...operation, selectionSet }] };
}

const directiveOf = (node, wanted) => node.directives?.find((one) => one.name.value === wanted);

function argumentOf(directive, key, variables, byDefault) {
  const value = directive?.arguments.find((one) => one.name.value === key)?.value;
  if (!value) return byDefault;
  return value.kind === Kind.VARIABLE ? variables[value.name.value] : value.value;
}

/** A copy of a selection set without what is skipped, with fragments as inline fragments, which may be changed. */
function expand(set, fragments, variables) {
  const selections = [];
  for (const node of set.selections) {
    const skip = directiveOf(node, 'skip');
    const include = directiveOf(node, 'include');
    if ((skip && argumentOf(skip, 'if', variables)) || (include && !argumentOf(include, 'if', variables))) continue;
    const defer = directiveOf(node, 'defer');
    const directives = defer && argumentOf(defer, 'if', variables, true) ? [defer] : [];
    if (node.kind === Kind.FIELD) {
      selections.push({ ...node, directives: [], selectionSet: node.selectionSet && expand(node.selectionSet, fragments, variables) });
      continue;
    }
    const content = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
    selections.push({
      kind: Kind.INLINE_FRAGMENT, directives, selectionSet: expand(content.selectionSet, fragments, variables),
      spread: node.kind === Kind.INLINE_FRAGMENT ? undefined : node.name.value,
    });
  }
  return { kind: Kind.SELECTION_SET, selections };
}

const keyOf = (field) => field.alias?.value ?? field.name.value;

/** Decides about the fragments of an object, whose selection sets have the deferred fragment that each is within. */
function decideObject(schema, type, sources) {
  const sets = [...sources]; // and the deferred fragments that are found
  const fields = new Map();
  const visited = []; // named fragments, with the deferred fragment that each spread is within
  const collect = ({ set, within }) => {
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) {
        if (!fields.has(keyOf(node))) fields.set(keyOf(node), []);
        fields.get(keyOf(node)).push({ node, within });
        continue;
      }
      let inner = within;
      if (visited.some(({ name, outer }) => name === node.spread && isWithin(within, outer))) {
        node.selectionSet = { kind: Kind.SELECTION_SET, selections: [] };
        node.directives = [];
        continue;
      }
      if (node.directives.length > 0) {
        const around = sets.filter((one) => isWithin(within, one.within)).map((one) => one.set);
        if (addsCalls(type, [node.selectionSet], around)) inner = { parent: within };
        else node.directives = [];
      }
      if (inner !== within) sets.push({ set: node.selectionSet, within: inner });
      else if (node.spread) visited.push({ name: node.spread, outer: within });
      collect({ set: node.selectionSet, within: inner });
    }
  };
  sources.forEach(collect);
  for (const list of fields.values()) {
    const below = list.filter(({ node }) => node.selectionSet).map(({ node, within }) => ({ set: node.selectionSet, within }));
    if (below.length > 0) decideObject(schema, typeOf(type, list[0].node), below);
  }
}

const isWithin = (fragment, outer) => outer === null || (fragment !== null && (fragment === outer || isWithin(fragment.parent, outer)));

// The fields of a union are those of its types: _Entity is the only one, and fields with the same key have the same definition.
const definitionOf = (type, field) => (isUnionType(type)
  ? type.getTypes().map((one) => one.getFields()[field.name.value]).find(Boolean) : type.getFields()[field.name.value])
  ?? { __schema: SchemaMetaFieldDef, __type: TypeMetaFieldDef }[field.name.value]; // undefined for __typename

const typeOf = (type, field) => getNamedType(definitionOf(type, field).type);

/** The fields of selection sets by their keys, without deferred fragments. */
function fieldsOf(sets) {
  const fields = new Map();
  const add = ({ selections }) => {
    for (const node of selections) {
      if (node.kind !== Kind.FIELD) {
        if (node.directives.length === 0) add(node.selectionSet);
        continue;
      }
      if (!fields.has(keyOf(node))) fields.set(keyOf(node), []);
      fields.get(keyOf(node)).push(node);
    }
  };
  sets.forEach(add);
  return fields;
}

/** Whether selection sets have a field with calls that those around them have not. */
function addsCalls(type, sets, around) {
  const known = fieldsOf(around);
  for (const [key, nodes] of fieldsOf(sets)) {
    const same = known.get(key);
    const definition = definitionOf(type, nodes[0]);
    if (!same && definition?.astNode?.directives.some((one) => one.name.value === 'upstreamCalls')) return true;
    const inner = nodes.map((node) => node.selectionSet).filter(Boolean);
    if (inner.length > 0 && addsCalls(typeOf(type, nodes[0]), inner, (same ?? []).map((node) => node.selectionSet).filter(Boolean))) return true;
  }
  return false;
}
