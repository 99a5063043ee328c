import { builder } from '../graphql/builder.ts';
import { requestFailure } from '../graphql/mutation-error.ts';
import { readId } from '../graphql/node-id.ts';
import { resultType } from '../graphql/result-type.ts';
import { toResult } from '../graphql/to-result.ts';
import { MerchantRef } from './merchant.ts';
import type { MerchantChanges, NewMerchant } from './merchant-source.ts';

type Named<N extends string> = { readonly __typename: N; readonly merchantId: string };

function success<const N extends string>(name: N, what: string) {
  return builder.objectRef<Named<N>>(name).implement({
    description: `The merchant was ${what}.`,
    fields: (t) => ({
      merchant: t.field({
        type: MerchantRef,
        nullable: true,
        description: 'The merchant, read again. Null only if that failed; the change stands.',
        resolve: ({ merchantId }, _args, { merchants }) => merchants.load(merchantId),
      }),
    }),
  });
}

const CreateMerchantSuccess = success('CreateMerchantSuccess', 'created');
const UpdateMerchantSuccess = success('UpdateMerchantSuccess', 'changed');

const describe = {
  name: 'What the merchant is called, up to 200 characters.',
  email: 'Contact address.',
  descriptor: "Text on customers' bank statements: printable ASCII, 1 to 22 characters.",
};

const CompanyInput = builder.inputType('CompanyInput', {
  description: 'The company behind a merchant.',
  fields: (t) => ({
    country: t.string({ required: true, description: 'ISO 3166 country code, two capitals.' }),
    number: t.string({ description: 'Registration number, up to 50 characters.' }),
  }),
});

const BankInput = builder.inputType('BankInput', {
  description: 'The bank account that a merchant is paid out to.',
  fields: (t) => ({
    iban: t.string({
      description: 'Account number in IBAN form, without spaces; can be left out.',
    }),
  }),
});

const CreateMerchantInput = builder.inputType('CreateMerchantInput', {
  description: 'A new merchant. Only name, e-mail and descriptor can be changed later.',
  fields: (t) => ({
    name: t.string({ description: describe.name }),
    fundingCurrency: t.field({
      type: 'CurrencyCode',
      required: true,
      description: 'Currency of the account; one of `Query.currencies(funding: true)`.',
    }),
    test: t.boolean({
      description:
        'Whether this is a test account, which moves no real money; false when left out.',
    }),
    email: t.string({ required: true, description: describe.email }),
    website: t.string({ required: true, description: 'Where the merchant sells.' }),
    descriptor: t.string({ required: true, description: describe.descriptor }),
    company: t.field({ type: CompanyInput, required: true, description: 'The company behind it.' }),
    bank: t.field({ type: BankInput, description: 'Where money is paid out to.' }),
  }),
});

const UpdateMerchantInput = builder.inputType('UpdateMerchantInput', {
  description:
    'The three things about a merchant that can change. What is left out, or null, stays.',
  fields: (t) => ({
    merchantId: t.id({
      required: true,
      description: "The merchant: a node id, or the service's own id.",
    }),
    name: t.string({ description: describe.name }),
    email: t.string({ description: describe.email }),
    descriptor: t.string({ description: describe.descriptor }),
  }),
});

const paths = { currency: ['fundingCurrency'] };

builder.mutationFields((t) => ({
  createMerchant: t.field({
    type: resultType('CreateMerchant', CreateMerchantSuccess),
    nullable: true,
    description: 'Creates a merchant account; the calling app has access to it at once.',
    args: {
      input: t.arg({
        type: CreateMerchantInput,
        required: true,
        description: 'The account to open.',
      }),
    },
    resolve: (_root, { input }, { merchants }) => {
      const { name, fundingCurrency, test, email, website, descriptor, company, bank } = input;
      const merchant: NewMerchant = {
        ...(name ? { name } : {}),
        currency: fundingCurrency,
        test: test ?? false,
        email,
        website,
        descriptor,
        company: {
          country: company.country,
          ...(company.number ? { number: company.number } : {}),
        },
        ...(bank?.iban ? { bank: { iban: bank.iban } } : {}),
      };
      return toResult(
        merchants
          .create(merchant)
          .then((merchantId) => ({ __typename: 'CreateMerchantSuccess' as const, merchantId })),
        paths,
      );
    },
  }),
  updateMerchant: t.field({
    type: resultType('UpdateMerchant', UpdateMerchantSuccess),
    nullable: true,
    description: 'Changes name, contact address or descriptor of a merchant.',
    args: {
      input: t.arg({
        type: UpdateMerchantInput,
        required: true,
        description: 'Which merchant, and what to change.',
      }),
    },
    resolve: (_root, { input: { merchantId, name, email, descriptor } }, { merchants }) => {
      const id = readId('mer', merchantId, 'input.merchantId');
      const changes: MerchantChanges = {
        ...(typeof name === 'string' ? { name } : {}),
        ...(typeof email === 'string' ? { email } : {}),
        ...(typeof descriptor === 'string' ? { descriptor } : {}),
      };
      if (Object.keys(changes).length === 0) {
        return requestFailure('INVALID_INPUT', 'Give at least one of name, email, descriptor.', [
          'input',
        ]);
      }
      return toResult(
        merchants
          .update(id, changes)
          .then(() => ({ __typename: 'UpdateMerchantSuccess' as const, merchantId: id })),
      );
    },
  }),
}));
