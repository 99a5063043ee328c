import { type Environment, graphql } from 'relay-runtime';
import { waitForFragmentData } from 'relay-runtime/experimental';
import type { userList_query$key } from './__generated__/userList_query.graphql.ts';
import type {
  CreateUserInput,
  userListCreateMutation,
} from './__generated__/userListCreateMutation.graphql.ts';
import type { userListDeleteMutation } from './__generated__/userListDeleteMutation.graphql.ts';
import pageQuery, { type userListPageQuery } from './__generated__/userListPageQuery.graphql.ts';
import type { userListQuery } from './__generated__/userListQuery.graphql.ts';
import { commit, load, open, outcome } from './operation.ts';

const query = graphql`
  query userListQuery($count: Int!) {
    ...userList_query @arguments(count: $count)
  }
`;

const fragment = graphql`
  fragment userList_query on Query
  @refetchable(queryName: "userListPageQuery")
  @argumentDefinitions(count: { type: "Int!" }, cursor: { type: "String" })
  @throwOnFieldError {
    users(first: $count, after: $cursor) @connection(key: "userList_users") {
      __id
      edges {
        node {
          id
          name
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`;

const creation = graphql`
  mutation userListCreateMutation($input: CreateUserInput!, $connections: [ID!]!) {
    createUser(input: $input) {
      ... on CreateUserSuccess {
        user @appendNode(connections: $connections, edgeTypeName: "UserEdge") {
          id
          name
        }
      }
      ... on MutationError @alias(as: "error") {
        message
      }
    }
  }
`;

const deletion = graphql`
  mutation userListDeleteMutation($input: DeleteUserInput!, $connections: [ID!]!) {
    deleteUser(input: $input) {
      ... on DeleteUserSuccess {
        deletedUserId @deleteEdge(connections: $connections)
      }
      ... on MutationError @alias(as: "error") {
        message
      }
    }
  }
`;

/** The user records, oldest first. */
export async function openUserList(environment: Environment, count: number) {
  const root = await open<userListQuery>(environment, query, { count });
  const read = () => waitForFragmentData<userList_query$key>(environment, fragment, root);

  /** The loaded rows, from the store. Nothing is sent. */
  async function rows() {
    const { users } = await read();
    return users.edges.map(({ node: { id, name } }) => ({ id, text: name ?? 'No name' }));
  }

  /** Loads the next page into the store. Returns false if there is none. */
  async function loadNext(): Promise<boolean> {
    const { users } = await read();
    const { hasNextPage, endCursor: cursor } = users.pageInfo;
    if (hasNextPage) await load<userListPageQuery>(environment, pageQuery, { count, cursor });
    return hasNextPage;
  }

  /** Creates a record. It is the last of the list at once. */
  async function create(input: CreateUserInput): Promise<string> {
    const { users } = await read();
    const variables = { input, connections: [users.__id] };
    const { createUser } = await commit<userListCreateMutation>(environment, creation, variables);
    return outcome(createUser, 'Created.');
  }

  /** Deletes a record. It is gone from the list at once. */
  async function remove(userId: string): Promise<string> {
    const { users } = await read();
    const variables = { input: { userId }, connections: [users.__id] };
    const { deleteUser } = await commit<userListDeleteMutation>(environment, deletion, variables);
    return outcome(deleteUser, 'Deleted.');
  }

  return { rows, loadNext, create, remove };
}
