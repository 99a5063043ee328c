/** The package describes its types in comments only. */
declare module 'apollo-upload-client/UploadHttpLink.mjs' {
  import { ApolloLink, type HttpLink } from '@apollo/client';

  class UploadHttpLink extends ApolloLink {
    constructor(options: HttpLink.Options);
  }

  export = UploadHttpLink;
}
