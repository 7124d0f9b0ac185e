// The shop that this page sells for: set these values. The demo of Cartwright serves this file with its own shop filled in.

export const config = {
  // Address of the API. Migrating a storefront from the former service needs only this change.
  url: 'http://127.0.0.1:4000',
  // A public key: pk_test_… for the sandbox, pk_… (over HTTPS) to sell. Never use a secret key here, because everybody can read it.
  publicKey: 'pk_test_…',
  // API version that this page was written for.
  version: '2022-07-21',
  // True if the server has no mail server and stores its mails: the login then says how to read them there.
  mailIsKept: false,
}
