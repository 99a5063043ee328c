import { builder } from '../../schema/builder.ts';
import { resultType } from '../../schema/mutation-error.ts';
import { readId } from '../../schema/node-id.ts';
import { rejectNull, requestFailure } from '../../schema/request-failure.ts';
import { toResult } from '../../schema/to-result.ts';
import { MerchantRef } from './merchant.ts';
import type { MerchantChanges, NewMerchant } from './merchant-source.ts';

interface Changed<N extends string> {
  readonly __typename: N;
  readonly merchantId: string;
}

function successType<const N extends string>(name: N, done: string, merchant: string) {
  return builder.objectRef<Changed<N>>(name).implement({
    description: `The merchant was ${done}.`,
    fields: (t) => ({
      merchant: t.field({
        type: MerchantRef,
        nullable: true,
        description: merchant,
        resolve: ({ merchantId }, _args, { merchants }) => merchants.load(merchantId),
      }),
    }),
  });
}

const CreateMerchantSuccess = successType(
  'CreateMerchantSuccess',
  'created',
  'The new merchant. Null only if it could not be read afterwards; it was created.',
);
const UpdateMerchantSuccess = successType(
  'UpdateMerchantSuccess',
  'updated',
  'The merchant after the change. Null only if it could not be read afterwards; the change itself succeeded.',
);

const describe = {
  name: 'Name of the merchant, up to 200 characters.',
  email: 'Contact e-mail address.',
  descriptor: "Text on customers' bank statements: 1 to 22 printable ASCII characters.",
};

const CompanyInput = builder.inputType('CompanyInput', {
  description: 'The company that owns a merchant.',
  fields: (t) => ({
    country: t.string({
      required: true,
      description: 'ISO 3166 country code: two upper-case letters.',
    }),
    number: t.string({ description: 'Registration number of the company, up to 50 characters.' }),
  }),
});

const BankInput = builder.inputType('BankInput', {
  description: 'The bank account that receives the payouts of a merchant.',
  fields: (t) => ({
    iban: t.string({ description: 'IBAN of the account, without spaces. Optional.' }),
  }),
});

const CreateMerchantInput = builder.inputType('CreateMerchantInput', {
  description:
    'A new merchant. Only `name`, `email` and `statementDescriptor` can be changed later.',
  fields: (t) => ({
    name: t.string({ description: describe.name }),
    fundingCurrency: t.field({
      type: 'CurrencyCode',
      required: true,
      description: 'Funding currency: one of `Query.currencies(funding: true)`.',
    }),
    test: t.boolean({
      description: 'Whether this is a test merchant, which moves no real money. Default: false.',
    }),
    email: t.string({ required: true, description: describe.email }),
    website: t.string({ required: true, description: 'Website where the merchant sells.' }),
    statementDescriptor: t.string({ required: true, description: describe.descriptor }),
    company: t.field({
      type: CompanyInput,
      required: true,
      description: 'The company that owns the merchant.',
    }),
    bank: t.field({ type: BankInput, description: 'The bank account that receives payouts.' }),
  }),
});

type CreateMerchantFields = typeof CreateMerchantInput.$inferInput;

const UpdateMerchantInput = builder.inputType('UpdateMerchantInput', {
  description:
    'A merchant and the fields to change. A field that is absent does not change. No field can be cleared.',
  fields: (t) => ({
    merchantId: t.id({
      required: true,
      description: 'The merchant: a node id or a `rawId`.',
    }),
    name: t.string({ description: describe.name }),
    email: t.string({ description: describe.email }),
    statementDescriptor: t.string({ description: describe.descriptor }),
  }),
});

/** Input paths of the service's fields. */
const paths = { currency: ['fundingCurrency'], descriptor: ['statementDescriptor'] };

builder.mutationField('createMerchant', (t) =>
  t.field({
    type: resultType('CreateMerchant', CreateMerchantSuccess),
    nullable: true,
    description: 'Creates a merchant. The calling app has access to it immediately.',
    args: {
      input: t.arg({ type: CreateMerchantInput, required: true, description: 'The new merchant.' }),
    },
    resolve: (_root, { input }, { merchants }) =>
      toResult(
        merchants
          .create(toNewMerchant(input))
          .then((merchantId) => ({ __typename: 'CreateMerchantSuccess' as const, merchantId })),
        paths,
      ),
  }),
);

function toNewMerchant(input: CreateMerchantFields): NewMerchant {
  const { name, fundingCurrency, test, email, website, company, bank } = input;
  return {
    ...(name ? { name } : {}),
    currency: fundingCurrency,
    test: test ?? false,
    email,
    website,
    descriptor: input.statementDescriptor,
    company: {
      country: company.country,
      ...(company.number ? { number: company.number } : {}),
    },
    ...(bank?.iban ? { bank: { iban: bank.iban } } : {}),
  };
}

builder.mutationField('updateMerchant', (t) =>
  t.field({
    type: resultType('UpdateMerchant', UpdateMerchantSuccess),
    nullable: true,
    description: 'Changes the name, the contact address or the statement descriptor of a merchant.',
    args: {
      input: t.arg({
        type: UpdateMerchantInput,
        required: true,
        description: 'The merchant and the fields to change.',
      }),
    },
    resolve: (
      _root,
      { input: { merchantId, name, email, statementDescriptor } },
      { merchants },
    ) => {
      const id = readId('mer', merchantId, 'input.merchantId');
      const invalid = rejectNull({ name, email, statementDescriptor });
      if (invalid !== undefined) return invalid;
      const changes: MerchantChanges = {
        ...(typeof name === 'string' ? { name } : {}),
        ...(typeof email === 'string' ? { email } : {}),
        ...(typeof statementDescriptor === 'string' ? { descriptor: statementDescriptor } : {}),
      };
      if (Object.keys(changes).length === 0) {
        const message = 'The input must have at least one of name, email and statementDescriptor.';
        return requestFailure('INVALID_INPUT', message, ['input']);
      }
      return toResult(
        merchants
          .update(id, changes)
          .then(() => ({ __typename: 'UpdateMerchantSuccess' as const, merchantId: id })),
        paths,
      );
    },
  }),
);
