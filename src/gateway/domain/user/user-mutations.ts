import { builder } from '../../schema/builder.ts';
import { resultType } from '../../schema/mutation-error.ts';
import { readId, toNodeId } from '../../schema/node-id.ts';
import { rejectNull, requestFailure } from '../../schema/request-failure.ts';
import { toResult } from '../../schema/to-result.ts';
import { UserRef } from './user.ts';

interface Changed<N extends string> {
  readonly __typename: N;
  readonly userId: string;
}

const CHANGED =
  'The user record after the change. Null only if it could not be read afterwards; the change itself succeeded.';

function successType<const N extends string>(name: N, done: string, user = CHANGED) {
  return builder.objectRef<Changed<N>>(name).implement({
    description: `The user record was ${done}.`,
    fields: (t) => ({
      user: t.field({
        type: UserRef,
        nullable: true,
        description: user,
        resolve: ({ userId }, _args, { users }) => users.load(userId),
      }),
    }),
  });
}

const CreateUserSuccess = successType(
  'CreateUserSuccess',
  'created',
  'The new user record. Null only if it could not be read afterwards; it was created.',
);
const ReplaceUserSuccess = successType('ReplaceUserSuccess', 'replaced');
const UpdateUserSuccess = successType('UpdateUserSuccess', 'updated');
const DeleteUserSuccess = builder
  .objectRef<Changed<'DeleteUserSuccess'>>('DeleteUserSuccess')
  .implement({
    description: 'The user record was deleted.',
    fields: (t) => ({
      deletedUserId: t.id({
        description: 'Node id of the deleted record. Use it to remove the record from a cache.',
        resolve: ({ userId }) => toNodeId('usr', userId),
      }),
    }),
  });

const describe = {
  name: 'Name of the user, up to 200 characters.',
  email: 'E-mail address of the user. Several records can have the same e-mail address.',
  address: 'Postal address as a single string, up to 500 characters. May be empty.',
  userId: 'The user record: a node id or a `rawId`.',
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
  description: 'A user record and its new content.',
  fields: (t) => ({
    userId: t.id({ required: true, description: describe.userId }),
    name: t.string({ required: true, description: describe.name }),
    email: t.string({ required: true, description: describe.email }),
    address: t.string({ required: true, description: describe.address }),
  }),
});

const UpdateUserInput = builder.inputType('UpdateUserInput', {
  description:
    'A user record and the fields to change. A field that is absent does not change. `address: null` clears the address; the other fields cannot be cleared.',
  fields: (t) => ({
    userId: t.id({ required: true, description: describe.userId }),
    name: t.string({ description: describe.name }),
    email: t.string({ description: describe.email }),
    address: t.string({ description: describe.address }),
  }),
});

const DeleteUserInput = builder.inputType('DeleteUserInput', {
  description: 'The user record to delete.',
  fields: (t) => ({ userId: t.id({ required: true, description: describe.userId }) }),
});

builder.mutationField('createUser', (t) =>
  t.field({
    type: resultType('CreateUser', CreateUserSuccess),
    nullable: true,
    description: 'Creates a user record. Requires access to user records.',
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
);

builder.mutationField('replaceUser', (t) =>
  t.field({
    type: resultType('ReplaceUser', ReplaceUserSuccess),
    nullable: true,
    description: 'Replaces all fields of a user record. Requires access to user records.',
    args: {
      input: t.arg({
        type: ReplaceUserInput,
        required: true,
        description: 'The record and its new content.',
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
);

builder.mutationField('updateUser', (t) =>
  t.field({
    type: resultType('UpdateUser', UpdateUserSuccess),
    nullable: true,
    description: 'Changes fields of a user record. Requires access to user records.',
    args: {
      input: t.arg({
        type: UpdateUserInput,
        required: true,
        description: 'The record and the fields to change.',
      }),
    },
    resolve: (_root, { input: { userId, name, email, address } }, { users }) => {
      const id = readId('usr', userId, 'input.userId');
      const invalid = rejectNull({ name, email });
      if (invalid !== undefined) return invalid;
      const changes = {
        ...(typeof name === 'string' ? { name } : {}),
        ...(typeof email === 'string' ? { email } : {}),
        ...(address === undefined ? {} : { address: address ?? '' }),
      };
      if (Object.keys(changes).length === 0) {
        const message = 'The input must have at least one of name, email and address.';
        return requestFailure('INVALID_INPUT', message, ['input']);
      }
      return toResult(
        users
          .update(id, changes)
          .then(() => ({ __typename: 'UpdateUserSuccess' as const, userId: id })),
      );
    },
  }),
);

builder.mutationField('deleteUser', (t) =>
  t.field({
    type: resultType('DeleteUser', DeleteUserSuccess),
    nullable: true,
    description: 'Deletes a user record. Requires access to user records.',
    args: {
      input: t.arg({ type: DeleteUserInput, required: true, description: 'The record to delete.' }),
    },
    resolve: (_root, { input }, { users }) => {
      const id = readId('usr', input.userId, 'input.userId');
      return toResult(
        users.delete(id).then(() => ({ __typename: 'DeleteUserSuccess' as const, userId: id })),
      );
    },
  }),
);
