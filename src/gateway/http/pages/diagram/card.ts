import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isUnionType,
} from 'graphql';
import { fieldsOf, type Relation } from './relations.ts';

/** The card of a domain type: its relations, and all of its fields when unfolded. */
export function renderCard(type: GraphQLNamedType, relations: readonly Relation[]): string {
  const count = fieldsOf(type).length;
  return `<article id="${type.name}">
<h2>${type.name}</h2>
${renderDescription(firstSentence(type.description))}
<ul>${relations.map(renderRelation).join('')}</ul>
<details><summary>${count === 1 ? 'The field' : `All ${count} fields`}<span class="hidden"> of ${type.name}</span></summary>
${renderDescription(restOf(type.description))}
${renderMembers(type)}
</details>
</article>`;
}

/** The card of a type that is initially folded. */
export function renderFullCard(type: GraphQLNamedType): string {
  return `<article id="${type.name}">
<h3>${type.name}</h3>
${renderDescription(type.description)}
${renderMembers(type)}
</article>`;
}

function renderRelation({ field, target, isList, isMutual, isReverse }: Relation): string {
  const arrow = isReverse ? '' : ` data-arrow="${isMutual ? 'both' : 'one'}"`;
  const many = isList ? 'list of ' : '';
  return `<li${arrow}><code>${field}</code> <span>${many}<a href="#${target.name}">${target.name}</a></span></li>`;
}

/** The fields of a type, or its values or members. */
function renderMembers(type: GraphQLNamedType): string {
  if (isEnumType(type)) {
    return renderList(
      type
        .getValues()
        .map(({ name, description }) => renderMember(`<code>${name}</code>`, description)),
    );
  }
  if (isUnionType(type)) {
    const members = type.getTypes().map((member) => `<li>${renderType(member)}</li>`);
    return `<ul>${members.join('')}</ul>`;
  }
  const fields = isInputObjectType(type) ? Object.values(type.getFields()) : fieldsOf(type);
  return renderList(fields.map(renderField));
}

function renderField(field: GraphQLField<unknown, unknown> | GraphQLInputField): string {
  const { name, type, description, deprecationReason } = field;
  const args = 'args' in field ? field.args : [];
  const reason = deprecationReason == null ? '' : ` Deprecated: ${deprecationReason}`;
  const head = `<code>${name}</code>${renderArguments(args)} ${renderType(type)}`;
  return renderMember(head, `${description ?? ''}${reason}`);
}

function renderArguments(args: readonly GraphQLArgument[]): string {
  if (args.length === 0) return '';
  const list = args.map(({ name, type }) => `${name}: ${renderType(type)}`);
  return ` <small>(${list.join(', ')})</small>`;
}

/** A type as in the schema language, with a link. */
function renderType(type: GraphQLType): string {
  const { name } = getNamedType(type);
  const [before = '', after = ''] = String(type).split(name);
  return `<span class="type">${before}<a href="#${name}">${name}</a>${after}</span>`;
}

function renderMember(head: string, description?: string | null): string {
  return `<dt>${head}</dt>${description ? `<dd>${renderText(description)}</dd>` : ''}`;
}

function renderList(members: readonly string[]): string {
  return members.length === 0 ? '' : `<dl>${members.join('')}</dl>`;
}

function renderDescription(text: string | null | undefined): string {
  return text ? `<p>${renderText(text)}</p>` : '';
}

const firstSentence = (text: string | null | undefined) =>
  /^.*?[.](?= |$)/s.exec(text ?? '')?.[0] ?? text ?? '';
const restOf = (text: string | null | undefined) =>
  (text ?? '').slice(firstSentence(text).length).trim();

/** Renders a description, with code in backticks. */
function renderText(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  return escaped.replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
