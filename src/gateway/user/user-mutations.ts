import { builder } from '../graphql/builder.ts';
import { requestFailure } from '../graphql/mutation-error.ts';
import { readId, toNodeId } from '../graphql/node-id.ts';
import { resultType } from '../graphql/result-type.ts';
import { toResult } from '../graphql/to-result.ts';
import { UserRef } from './user.ts';
import type { UserFields } from './user-source.ts';

type Named<N extends string> = { readonly __typename: N; readonly userId: string };

function success<const N extends string>(name: N, what: string) {
  return builder.objectRef<Named<N>>(name).implement({
    description: `The user record was ${what}.`,
    fields: (t) => ({
      user: t.field({
        type: UserRef,
        nullable: true,
        description: 'The record, read again. Null only if that failed; the change stands.',
        resolve: ({ userId }, _args, { users }) => users.load(userId),
      }),
    }),
  });
}

const CreateUserSuccess = success('CreateUserSuccess', 'created');
const ReplaceUserSuccess = success('ReplaceUserSuccess', 'replaced');
const UpdateUserSuccess = success('UpdateUserSuccess', 'changed');
const DeleteUserSuccess = builder
  .objectRef<Named<'DeleteUserSuccess'>>('DeleteUserSuccess')
  .implement({
    description: 'The user record was deleted.',
    fields: (t) => ({
      deletedUserId: t.id({
        description: 'Node id of the record that is gone; for removing it from a cache.',
        resolve: ({ userId }) => toNodeId('usr', userId),
      }),
    }),
  });

const describe = {
  name: 'Up to 200 characters.',
  email: 'An e-mail address. It need not be unique.',
  address: 'Postal address as one text, up to 500 characters; may be empty.',
  userId: "A node id, or the service's own id.",
};

const CreateUserInput = builder.inputType('CreateUserInput', {
  description: 'A new user record.',
  fields: (t) => ({
    name: t.string({ required: true, description: describe.name }),
    email: t.string({ required: true, description: describe.email }),
    address: t.string({ required: true, description: describe.address }),
  }),
});

const ReplaceUserInput = builder.inputType('ReplaceUserInput', {
  description: 'A whole new content for a user record.',
  fields: (t) => ({
    userId: t.id({ required: true, description: describe.userId }),
    name: t.string({ required: true, description: describe.name }),
    email: t.string({ required: true, description: describe.email }),
    address: t.string({ required: true, description: describe.address }),
  }),
});

const UpdateUserInput = builder.inputType('UpdateUserInput', {
  description: 'A change of some fields of a user record. What is left out, or null, stays.',
  fields: (t) => ({
    userId: t.id({ required: true, description: describe.userId }),
    name: t.string({ description: describe.name }),
    email: t.string({ description: describe.email }),
    address: t.string({ description: describe.address }),
  }),
});

const DeleteUserInput = builder.inputType('DeleteUserInput', {
  description: 'Which user record to delete.',
  fields: (t) => ({ userId: t.id({ required: true, description: describe.userId }) }),
});

builder.mutationFields((t) => ({
  createUser: t.field({
    type: resultType('CreateUser', CreateUserSuccess),
    nullable: true,
    description: 'Creates a user record. Needs access to user records.',
    args: {
      input: t.arg({ type: CreateUserInput, required: true, description: 'The new record.' }),
    },
    resolve: (_root, { input: { name, email, address } }, { users }) =>
      toResult(
        users
          .create({ name, email, address })
          .then((userId) => ({ __typename: 'CreateUserSuccess' as const, userId })),
      ),
  }),
  replaceUser: t.field({
    type: resultType('ReplaceUser', ReplaceUserSuccess),
    nullable: true,
    description: 'Replaces the whole content of a user record. Needs access to user records.',
    args: {
      input: t.arg({
        type: ReplaceUserInput,
        required: true,
        description: 'Which record, and its whole new content.',
      }),
    },
    resolve: (_root, { input: { userId, name, email, address } }, { users }) => {
      const id = readId('usr', userId, 'input.userId');
      return toResult(
        users
          .replace(id, { name, email, address })
          .then(() => ({ __typename: 'ReplaceUserSuccess' as const, userId: id })),
      );
    },
  }),
  updateUser: t.field({
    type: resultType('UpdateUser', UpdateUserSuccess),
    nullable: true,
    description: 'Changes some fields of a user record. Needs access to user records.',
    args: {
      input: t.arg({
        type: UpdateUserInput,
        required: true,
        description: 'Which record, and the fields to change.',
      }),
    },
    resolve: (_root, { input: { userId, ...given } }, { users }) => {
      const id = readId('usr', userId, 'input.userId');
      const changes = onlyGiven(given);
      if (Object.keys(changes).length === 0) {
        return requestFailure('INVALID_INPUT', 'Give at least one of name, email, address.', [
          'input',
        ]);
      }
      return toResult(
        users
          .update(id, changes)
          .then(() => ({ __typename: 'UpdateUserSuccess' as const, userId: id })),
      );
    },
  }),
  deleteUser: t.field({
    type: resultType('DeleteUser', DeleteUserSuccess),
    nullable: true,
    description: 'Deletes a user record. Needs access to user records.',
    args: { input: t.arg({ type: DeleteUserInput, required: true, description: 'Which record.' }) },
    resolve: (_root, { input }, { users }) => {
      const id = readId('usr', input.userId, 'input.userId');
      return toResult(
        users.delete(id).then(() => ({ __typename: 'DeleteUserSuccess' as const, userId: id })),
      );
    },
  }),
}));

function onlyGiven(fields: Record<string, string | null | undefined>): Partial<UserFields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}
