import { checkMaxAge, maxAgeArg } from '../../replica/max-age.ts';
import type { Copy } from '../../replica/replica.ts';
import { searchCopy } from '../../replica/search-copy.ts';
import { badInput } from '../../schema/bad-input.ts';
import { builder } from '../../schema/builder.ts';
import type { Context } from '../../schema/context.ts';
import type { Window } from '../../schema/paging.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import { readable } from '../../search/condition.ts';
import { readInstant } from '../../upstream/record.ts';
import { DisputeRef } from '../dispute/dispute.ts';
import { disputeCopy, reasonOf } from '../dispute/dispute-copy.ts';
import { accessibleMerchants, loadMerchants } from '../merchant/accessible-merchants.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { MAX_TEXT, searchTransactions } from '../transaction/search-transactions.ts';
import { TransactionRef } from '../transaction/transaction.ts';
import { UserRef } from '../user/user.ts';

type Dispute = typeof DisputeRef.$inferType;

/** What to search for. */
interface Search {
  /** As it was typed, without spaces around it. Not empty. */
  readonly text: string;
  /** How many of each type. */
  readonly first: number;
  readonly maxAgeSeconds: number | null | undefined;
}

/** What only the replica can answer. */
const NEWEST = {
  order: { by: 'created', isDescending: true },
  requiredBy: 'search',
  mayLeaveOut: true,
} as const;

const windowOf = ({ first }: Search): Window => ({
  size: first,
  backward: false,
  start: undefined,
  end: undefined,
});

/** Text in lowercase; that of a node id of this kind without the kind. */
function partOf(text: string, kind: string): string {
  const part = text.toLowerCase();
  return part.length > kind.length + 1 && part.startsWith(`${kind}_`)
    ? part.slice(kind.length + 1)
    : part;
}

const contains = (part: string, words: readonly unknown[]) =>
  words.some((word) => typeof word === 'string' && word.toLowerCase().includes(part));

/** Ids are hexadecimal, so that the last digits of a card are somewhere in many of them. */
const LEAST_OF_ID = 8;

/** Whether a part is the beginning of one of the ids. */
const begins = (part: string, ids: readonly unknown[]) =>
  part.length >= LEAST_OF_ID &&
  ids.some((id) => typeof id === 'string' && id.toLowerCase().startsWith(part));

const SearchResultsRef = builder.objectRef<Search>('SearchResults').implement({
  description:
    'What a text in a search box means. Each field searches by itself: one that fails, or that you may not see, does not affect the others.',
  fields: (t) => ({
    merchants: t.field({
      type: [MerchantRef],
      ...semanticNonNull,
      description:
        'Merchants whose name, contact address, website, statement descriptor contains the text, or whose id or public key begins with it, newest first. Of an id, at least eight characters are needed.',
      resolve: async ({ text, first }, _args, { merchants, viewer }) => {
        const all = await merchants.listAll((await viewer.load()).id);
        const part = partOf(text, 'mer');
        const isMatch = ({ id, key, name, email, website, descriptor }: (typeof all)[number]) =>
          contains(part, [name, email, website, descriptor]) || begins(part, [id, key]);
        return all.filter(isMatch).slice(0, first);
      },
    }),
    transactions: t.field({
      type: [TransactionRef],
      ...semanticNonNull,
      description:
        'Transactions that `TransactionFilter.text` matches, newest first. Those of merchants in `leftOut` are missing. Without any replica, the error has the code `NO_REPLICA`.',
      resolve: async (search, _args, context) => {
        const ids = await accessibleMerchants(null, context);
        const filter = { text: search.text };
        const found = await searchTransactions(ids, filter, windowOf(search), context, {
          ...NEWEST,
          maxAgeSeconds: search.maxAgeSeconds,
        });
        return found.matches;
      },
    }),
    disputes: t.field({
      type: [DisputeRef],
      ...semanticNonNull,
      description:
        'Disputes whose reason contains the text, or whose id or transaction id begins with it, newest first. Of an id, at least eight characters are needed. Those of merchants in `leftOut` are missing. Without any replica, the error has the code `NO_REPLICA`.',
      resolve: async (search, _args, context) => findDisputes(search, context),
    }),
    leftOut: t.field({
      type: [MerchantRef],
      ...semanticNonNull,
      description:
        'Merchants whose transactions and disputes are not found, because they have no replica that is up to date: `Merchant.replica` says why.',
      resolve: async (search, _args, context) =>
        loadMerchants((await openCopy(search, context))?.leftOut ?? [], context),
    }),
    asOf: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'Transactions and disputes show what happened before this time, as `SearchProgress.asOf` describes for `REPLICA`. Null without merchants.',
      resolve: async (search, _args, context) => (await openCopy(search, context))?.asOf ?? null,
    }),
    users: t.field({
      type: [UserRef],
      ...semanticNonNull,
      description:
        'User records whose name, e-mail address or postal address contains the text, or whose id begins with it. Requires access to user records.',
      resolve: async ({ text, first }, _args, { users }) => {
        const all = await users.list();
        const part = partOf(text, 'usr');
        return all
          .filter(
            ({ id, name, email, address }) =>
              contains(part, [name, email, address]) || begins(part, [id]),
          )
          .slice(0, first);
      },
    }),
  }),
});

/** The copies that are searched; undefined without merchants. */
async function openCopy({ maxAgeSeconds }: Search, context: Context): Promise<Copy | undefined> {
  const merchantIds = await accessibleMerchants(null, context);
  if (merchantIds.length === 0) return undefined;
  return context.replica.open(merchantIds, { ...NEWEST, maxAgeSeconds });
}

async function findDisputes(search: Search, context: Context): Promise<readonly Dispute[]> {
  const { replica, disputes, search: budget } = context;
  const merchantIds = await accessibleMerchants(null, context);
  if (merchantIds.length === 0) return [];
  const part = partOf(search.text, search.text.toLowerCase().startsWith('txn_') ? 'txn' : 'dsp');
  const isMatch = (dispute: Dispute) =>
    contains(part, [reasonOf(dispute)]) || begins(part, [dispute.id, dispute.transactionId])
      ? ('YES' as const)
      : ('NO' as const);
  const copy = {
    ...{ merchantIds, list: disputeCopy, adopt: disputes.adopt, ...NEWEST },
    maxAgeSeconds: search.maxAgeSeconds,
    narrowing: { labels: [], texts: [{ part, amounts: [] }], isExact: false },
    judged: {
      judge: isMatch,
      judgeFull: async (dispute: Dispute) => isMatch(dispute),
      createdAt: (dispute: Dispute) => readable(() => readInstant(dispute, 'created')),
      created: {},
    },
  };
  return (await searchCopy(replica, copy, windowOf(search), budget))?.matches ?? [];
}

/** How many of each type a client can ask for. */
const MAX_FIRST = 50;

builder.queryField('search', (t) =>
  t.field({
    type: SearchResultsRef,
    ...semanticNonNull,
    description:
      'Finds what a text means, in everything that the calling app has access to: for one search box over all merchants, transactions, disputes and user records. Only the fields that you select are searched.',
    args: {
      text: t.arg.string({
        required: true,
        description: `The text, up to ${MAX_TEXT} characters. Case-insensitive.`,
      }),
      first: t.arg.int({
        required: true,
        defaultValue: 10,
        description: `Return at most this many of each type, 1 to ${MAX_FIRST}.`,
      }),
      maxAgeSeconds: maxAgeArg(t.arg),
    },
    resolve: (_root, { text, first, maxAgeSeconds }) => {
      checkMaxAge(maxAgeSeconds);
      const trimmed = text.trim();
      if (trimmed === '') throw badInput('`text` must not be blank.', 'text');
      if (trimmed.length > MAX_TEXT) {
        throw badInput(`\`text\` must have at most ${MAX_TEXT} characters.`, 'text');
      }
      if (first < 1 || first > MAX_FIRST) {
        throw badInput(`\`first\` must be between 1 and ${MAX_FIRST}; it was ${first}.`, 'first');
      }
      return { text: trimmed, first, maxAgeSeconds };
    },
  }),
);
