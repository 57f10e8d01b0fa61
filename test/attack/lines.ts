/** One attack: which test makes it, and what must hold. */
export interface Line {
  name: string
  who: 'anyone' | 'merchant' | 'person' | 'operator' | 'payer' | 'provider' | 'receiver' | 'machine'
  sends: string
  holds: string
  /** The file of the test. */
  file: string
  /** What the test is called in its file, or a part of that. */
  test: string
}

type Row = [sends: string, holds: string, file: string, test: string]

const line = (who: Line['who'], name: string, [sends, holds, file, test]: Row): Line => ({
  name,
  who,
  sends,
  holds,
  file,
  test,
})

/** Every attack that is tried again, in the order of who makes it. */
export const lines: Line[] = [
  line('anyone', 'keys', [
    'no key, made-up, revoked, doubled and malformed ones to every documented address',
    'each is a 401',
    'src/edge/http/guard.test.ts',
    'every documented route',
  ]),
  line('anyone', 'every-address', [
    'hostile queries, headers, forms, JSON and files to every address that there is',
    'no answer is a 5xx, each comes within its time, and the gateway still serves',
    'test/attack/every-address.slow.test.ts',
    'an address of the gateway',
  ]),
  line('anyone', 'long-forms', [
    'forms of many bytes and fields to every form, and bodies that never arrive',
    'they are refused before they are read',
    'src/doors/dashboard/form-limits.test.ts',
    'is refused when it has many fields',
  ]),
  line('anyone', 'many-parameters', [
    'an address with thousands of parameters',
    'it is refused before one is read',
    'src/edge/http/protocol-checks.test.ts',
    'the parameters of an address',
  ]),
  line('anyone', 'random-requests', [
    'random bodies and queries to every address of the interface',
    'only documented statuses and bodies come back',
    'src/edge/http/fuzz.test.ts',
    'random requests get only documented statuses',
  ]),
  line('anyone', 'hostile-json', [
    'deep, broken and unstorable JSON',
    'it is refused, and no bug is logged',
    'src/edge/http/body.test.ts',
    'a body that cannot be parsed',
  ]),
  line('anyone', 'floods', [
    'more connections of an address, and more requests, than the gateway can serve',
    'the proxy holds or refuses them, and serves others',
    'deploy/haproxy.test.ts',
    'the proxy',
  ]),
  line('anyone', 'slow-requests', [
    'heads and bodies that drip',
    'they are cut after their time',
    'src/edge/http/protocol-checks.test.ts',
    'a request that takes too long to arrive',
  ]),
  line('anyone', 'overload', [
    'more requests than are served at once',
    '503 at once; probes and callbacks are answered',
    'src/edge/http/overload.test.ts',
    'further requests get 503 at once',
  ]),
  line('anyone', 'malformed-http', [
    'broken heads, doubled lengths, odd methods, smuggled requests',
    'they are refused, and the connection is closed',
    'src/edge/http/protocol-checks.test.ts',
    'malformed HTTP',
  ]),
  line('anyone', 'scripts-in-reference', [
    'inline scripts and styles in the reference of the interface',
    'its content policy allows none but those of the library',
    'src/edge/http/openapi.test.ts',
    'may connect to this server only',
  ]),
  line('anyone', 'handshakes', [
    'the handshake of a WebSocket at ordinary addresses',
    'it is refused',
    'src/edge/http/protocol-checks.test.ts',
    'the handshake of a WebSocket',
  ]),
  line('anyone', 'password-guesses', [
    'passwords for an account, from many devices',
    'strangers are slowed down, and the person is not',
    'src/doors/dashboard/frame.test.ts',
    'are limited for strangers, and never for the device of the person',
  ]),
  line('anyone', 'second-step-guesses', [
    'codes of the second step',
    'after ten wrong ones the right one is refused too',
    'src/doors/dashboard/sign-in.test.ts',
    'is over after ten wrong codes',
  ]),
  line('anyone', 'sliding-windows', [
    'tries around the end of a window',
    'those of the window before count as far as they are recent',
    'src/merchants/people/tries/tries.test.ts',
    'slide: those of the window before count',
  ]),
  line('anyone', 'return-after-sign-in', [
    'foreign addresses, line ends and other alphabets as the page to go to after signing in',
    'it leads to a page of ours',
    'src/doors/dashboard/frame.test.ts',
    'from ${then} leads to ${location}',
  ]),
  line('anyone', 'forged-forms', [
    'forms of other sites, without a token, or with that of another session',
    'they are refused',
    'src/doors/dashboard/frame.test.ts',
    'from another site is refused, even with the token',
  ]),
  line('anyone', 'networks-of-proxies', [
    'X-Forwarded-For from nobody that is trusted',
    'the address of the connection counts',
    'src/edge/http/guard.test.ts',
    'an X-Forwarded-For',
  ]),
  line('anyone', 'details-of-errors', [
    'what makes a handler fail',
    'a 500 without details',
    'src/edge/http/errors.test.ts',
    'without its details',
  ]),
  line('merchant', 'rights-of-keys', [
    'a key with each right alone to every endpoint',
    'what it has no right to is a 403 that names the right, and nothing is done',
    'src/doors/api/endpoint-rights.test.ts',
    'every endpoint',
  ]),
  line('person', 'keys-beyond-a-role', [
    'keys with more rights than the role of who makes them, or gives them a new secret',
    'they are refused, and the rights are named',
    'src/doors/dashboard/developers.test.ts',
    'the rights of a key',
  ]),
  line('merchant', 'float-by-refunds', [
    'payouts and refunds of more than a provider holds for us, by who could not make them',
    'nobody learns what a provider holds',
    'src/money/float/float.test.ts',
    'is told to nobody who could not pay or refund that much',
  ]),
  line('merchant', 'tenants', [
    'ids of other merchants and keys, at every address with an id',
    'the answer to an unknown one',
    'src/doors/api/v1/transaction/lookup.test.ts',
    'a record of another client or key',
  ]),
  line('merchant', 'rate', [
    '1,000 requests at once under a limit of 100',
    'exactly 100 pass',
    'src/edge/http/key-rates.test.ts',
    'lets exactly 100 of 1,000 parallel requests pass',
  ]),
  line('merchant', 'overdrafts', [
    'payouts and refunds beyond the balance, at once, to several processes',
    'none goes below zero',
    'src/money/transactions/races.test.ts',
    'concurrent debits beyond the balance',
  ]),
  line('merchant', 'double-refunds', [
    'refunds of one payment at once',
    'never more than was paid',
    'src/money/transactions/races.test.ts',
    'concurrent refunds of one payment',
  ]),
  line('merchant', 'repetitions', [
    'the same external id at once',
    'one record and one order',
    'src/money/transactions/races.test.ts',
    'makes one record and one provider order',
  ]),
  line('merchant', 'idempotency-keys', [
    'another request under a used Idempotency-Key',
    'it is refused, and changes nothing',
    'src/edge/idempotency/idempotency.test.ts',
    'another request with the same key',
  ]),
  line('merchant', 'limits', [
    'requests at once for the last place of a daily limit',
    'one gets it',
    'src/money/limits/limits.test.ts',
    'the last place of a daily limit',
  ]),
  line('merchant', 'private-addresses', [
    'webhook addresses of this machine, its network and the cloud, in every notation',
    'no connection is opened',
    'src/base/net/guard.test.ts',
    'opens no connection',
  ]),
  line('merchant', 'rebinding', [
    'a name that resolves to another address the second time',
    'the connection goes to the address that was checked',
    'src/base/net/guard.test.ts',
    'is resolved once for a connection',
  ]),
  line('merchant', 'terminal', [
    'names and answers with control characters',
    'they do not reach the terminal of an operator',
    'src/program/cli/terminal.test.ts',
    'cannot steer the terminal',
  ]),
  line('merchant', 'frozen-account', [
    'payments of a merchant whose account a stopped process holds',
    'no payment of others waits',
    'src/money/transactions/frozen-process.test.ts',
    'holds up no ${kind} of others',
  ]),
  line('person', 'rights', [
    'every page and form, as each role',
    'it is open exactly as the table of rights says',
    'src/doors/dashboard/rights.test.ts',
    'exactly as its rights say, and else a 404',
  ]),
  line('person', 'balances-in-events', [
    'pages of events, answers and payments, as a role that may not read balances',
    'no balance stands in a body, nor in the JSON of a page',
    'src/doors/dashboard/transactions/masked.test.ts',
    'balances in bodies of events and answers',
  ]),
  line('person', 'numbers-in-audit-log', [
    'forms with a payer’s number in any field, with spaces, encoded, in any way to write it',
    'the audit log keeps its last two digits at most',
    'src/doors/dashboard/frame/audited-fields.test.ts',
    'the fields of a form in the audit log',
  ]),
  line('person', 'other-merchants-pages', [
    'ids of another merchant, at every page with an id',
    'a 404',
    'src/doors/dashboard/every-page.test.ts',
    'is a 404 for another merchant',
  ]),
  line('person', 'unattended-screens', [
    'forms that move money or give rights, 15 minutes after the password',
    'the password is asked again',
    'src/doors/dashboard/rights.test.ts',
    'asks for the password again after 15 minutes',
  ]),
  line('person', 'second-factor-secret', [
    'the secret of a second factor, from another session or without the password',
    'it is not shown, and not taken',
    'src/doors/dashboard/sign-in.test.ts',
    'has a secret of one session',
  ]),
  line('person', 'hostile-tables', [
    'CSV and XLSX files: bombs, empty rows, endless cells, changed bytes',
    'they are refused after a few blocks',
    'src/formats/tables/read-xlsx.test.ts',
    'refuses a bomb after a few blocks',
  ]),
  line('person', 'endless-tags', [
    'XML of workbooks and statements with tags that tell nothing',
    'they are counted, and refused',
    'src/formats/tables/read-xml.test.ts',
    'is read up to so many tags',
  ]),
  line('person', 'files-beside-payments', [
    'files that take seconds to read',
    'everything else goes on meanwhile',
    'src/formats/tables/apart.test.ts',
    'lets everything else go on',
  ]),
  line('person', 'hostile-pictures', [
    'pictures that were changed anywhere, and 10 MB of them',
    'they are refused, or stored and sent as the picture that they begin as',
    'src/merchants/clients/logo.test.ts',
    'whatever comes, and never fails otherwise',
  ]),
  line('person', 'formulas', [
    'texts that spreadsheet programs take for formulas',
    'files have them as texts',
    'src/formats/tables/write.test.ts',
    'puts an apostrophe before',
  ]),
  line('person', 'hostile-texts', [
    'texts that break stores, files and pages, in each field of each form',
    'all is stored or refused, shown and exported',
    'src/operations/verify/hostile-texts.test.ts',
    'is stored or refused in each field of each form',
  ]),
  line('person', 'invitations', [
    'an invitation that was used, or of an owner by an admin',
    'it is refused',
    'src/doors/dashboard/people.test.ts',
    'to an owner is for owners alone to send',
  ]),
  line('person', 'invitation-floods', [
    'more invitations than a team needs to one address',
    'they are counted by client, and refused',
    'src/merchants/people/team/invitations.test.ts',
    'goes to one address five times a day from a client',
  ]),
  line('person', 'invitations-to-many', [
    'invitations of one client to ever more addresses',
    'they are counted by client, and refused',
    'src/merchants/people/team/invitations.test.ts',
    'goes to fifty addresses a day from a client',
  ]),
  line('person', 'large-files', [
    'files and bodies beyond the limits, behind the proxy',
    'they are refused in words; what is no file of the dashboard does not reach a process',
    'deploy/haproxy.test.ts',
    'takes files that the gateway takes, and no larger ones',
  ]),
  line('payer', 'scripts', [
    'markup and scripts in 200 forms, in every field of every screen of the payment page',
    'they stay texts',
    'src/doors/pay/xss.test.ts',
    'stays text in every field',
  ]),
  line('payer', 'scripts-in-dashboard', [
    'the same in every page of a merchant',
    'they stay texts',
    'src/doors/dashboard/every-page.test.ts',
    'shows texts as texts',
  ]),
  line('payer', 'code-guesses', [
    'one-time codes at once, through several processes',
    'five reach the provider',
    'src/money/transactions/confirm.test.ts',
    'reach the provider five times',
  ]),
  line('payer', 'links-paid-twice', [
    'payments of one link at once',
    'one begins',
    'src/money/links/races.test.ts',
    'concurrent payers of one link',
  ]),
  line('payer', 'payment-page-floods', [
    'pages, forms and streams of one network',
    'they are counted and refused',
    'src/doors/pay/limits.test.ts',
    'the limits of an IP address in a minute',
  ]),
  line('payer', 'addresses-of-shops', [
    'addresses that are no web addresses, line ends among them, to return to',
    'no link leads there',
    'src/doors/pay/return-address.test.ts',
    'webAddress and returnAddress',
  ]),
  line('provider', 'forged-callbacks', [
    'callbacks with wrong codes, paths, methods and sizes',
    'a 404, and nothing is changed',
    'src/doors/callbacks/receive.test.ts',
    'a forged callback',
  ]),
  line('provider', 'unsigned-callbacks', [
    'an unsigned callback that reports a success',
    'the provider is asked, and its answer decides',
    'src/doors/callbacks/receive.test.ts',
    'an unsigned callback',
  ]),
  line('provider', 'malformed-answers', [
    'answers that are broken, endless or of other shapes',
    'the outcome stays unknown',
    'src/money/providers/malformed-answers.test.ts',
    'a provider that answers with',
  ]),
  line('receiver', 'hostile-receivers', [
    'answers to webhooks that drip, have 100 MB or lead elsewhere',
    'they are cut, and not followed',
    'src/backoffice/webhooks/hostile.test.ts',
    'hostile receivers of webhooks',
  ]),
  line('receiver', 'forged-events', [
    'events with a changed bit, of another secret or too old',
    'the signature does not hold',
    'src/backoffice/webhooks/sign.test.ts',
    'fail when a bit of the body',
  ]),
  line('operator', 'approving-alone', [
    'an approval of what one has proposed, in another spelling of the address',
    'it is refused',
    'src/backoffice/approvals/approvals.test.ts',
    'is never approved by who proposed it',
  ]),
  line('operator', 'approvals-at-once', [
    'approvals and refusals at the same moment',
    'one counts, and is carried out once',
    'src/backoffice/approvals/approvals.test.ts',
    'when several people approve and refuse at the same moment',
  ]),
  line('operator', 'own-second-person', [
    'an invitation to a second address of one’s own, which approves one’s own order',
    'a right to approve is given by two, and two such addresses are one person',
    'src/backoffice/approvals/two-people.test.ts',
    'both of the proposer’s addresses together are still one',
  ]),
  line('operator', 'split-orders', [
    'many orders below the limit, by form and by command, at the same moment',
    'their sum by person and by client counts, and waits for a second person',
    'src/backoffice/approvals/two-people.test.ts',
    'orders of a day are summed',
  ]),
  line('operator', 'unnamed-commands', [
    'commands that move money, and make keys that pay, without a name and a password',
    'they are refused',
    'src/program/cli/approval.test.ts',
    'names who makes a key with the right ${right}',
  ]),
  line('operator', 'large-statements', [
    'a statement whose lines end payments above the limit, by line and by sum',
    'they wait for a second person',
    'src/backoffice/recon/import/held.test.ts',
    'is all of the payment, whatever amount its line has',
  ]),
  line('operator', 'forged-fees', [
    'a statement with fees and transfers above the limit, by line and by sum',
    'nothing is booked before a second person lets them pass',
    'src/backoffice/recon/import/held.test.ts',
    'fees and transfers of the gateway itself',
  ]),
  line('operator', 'surveys-left', [
    'a large statement whose page is asked for and left, again and again',
    'nobody reads on for who has left',
    'src/backoffice/recon/import/survey.test.ts',
    'no longer when all who asked have left',
  ]),
  line('operator', 'forged-statements', [
    'a statement with a line that ends a payment which nobody made',
    'the provider is asked first, and wins',
    'src/backoffice/recon/import/held.test.ts',
    'wins over a line that says the opposite',
  ]),
  line('operator', 'audit-log', [
    'changes of the audit log, by the application and by the owner of the schema',
    'they are refused',
    'src/data/db/audit-log.test.ts',
    'from the application and from the owner',
  ]),
  line('machine', 'ledger-by-hand', [
    'changes of ledger and balances by SQL',
    'they are refused',
    'src/money/ledger/append-only.test.ts',
    'neither the application nor the owner may',
  ]),
  line('machine', 'audit-log-by-hand', [
    'changes of the audit log past its triggers',
    'verify finds them',
    'src/operations/verify/audit-store.test.ts',
    'a change of the audit log by SQL is found',
  ]),
  line('machine', 'archive', [
    'an archive with another key, with a changed byte, without a file',
    'a drill tells it',
    'src/operations/drill/pgbackrest.slow.test.ts',
    'a wrong key',
  ]),
  line('machine', 'sealed-columns', [
    'sealed texts with a changed bit, or in another place',
    'they do not open',
    'src/base/sealing/seal.test.ts',
    'does not open after any single bit was flipped',
  ]),
  line('machine', 'secrets-at-rest', [
    'a search of the database for the secret of a key',
    'it is stored nowhere',
    'src/merchants/clients/keys.test.ts',
    'is stored nowhere in the database',
  ]),
  line('machine', 'secrets-in-logs', [
    'secrets in the fields of what is logged',
    'they are hidden',
    'src/base/log/log.test.ts',
    'hides secret fields at each of three depths',
  ]),
  line('machine', 'numbers-in-records', [
    'numbers in requests that are kept',
    'they are masked',
    'src/edge/requests/keep.test.ts',
    'masking',
  ]),
  line('machine', 'dependencies', [
    'packages of any version or without a checksum, and scripts that run at an installation',
    'there are none, except scripts of PostgreSQL, which images do not run',
    'test/attack/lines.test.ts',
    'a dependency',
  ]),
]
