// Which shop this page sells for: set these three. The demo of Cartwright serves a file of this name with its own shop filled in.

export const config = {
  // Where the API is. This is all that moves a storefront from the vanished service.
  url: 'http://127.0.0.1:4000',
  // A public key: pk_test_… tries things out, pk_… (over HTTPS) sells. Never a secret one, everybody can read this.
  publicKey: 'pk_test_…',
  // The version of the API that the code of this page was written for.
  version: '2022-07-21',
  // Whether the server has no mail server and keeps its mails: the login then says how to read them there.
  mailIsKept: false,
}
