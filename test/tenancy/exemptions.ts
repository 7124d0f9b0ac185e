// Statements that read all merchants on purpose, by name, with the reason. A line that excuses nothing fails the run: delete it.

export const EXEMPTIONS: Readonly<Record<string, string>> = {
  'merchants.find_caller_by_key_hash': 'Authentication: the key is all that is known, and it names the merchant.',
  'merchants.note_key_uses': 'Writes when the keys of all merchants were last used that a process has seen.',
  'dashboard_accounts.list_by_email':
    'Logging in: the address is all that is known, and it may be that of several shops.',
  'dashboard_accounts.lock_by_email':
    'Accepting an invitation: an address that has an account in another shop confirms it with that account.',
  'sweep.dashboard_devices_found': 'Finds browsers of accounts of all merchants that were not seen for long.',
  'sweep.dashboard_links_found': 'Finds mailed links of all merchants that were not used in time.',
  'sweep.dashboard_sessions_found': 'Finds ended sessions of accounts of all merchants.',
  'sweep.dashboard_waits_found': 'Finds ended counts of wrong passwords, which belong to no merchant.',
  'merchants.list_all': "The operator's commands list every merchant of the installation.",
  'payment_methods.list_deleted_of_all': "The operator's key seals those of deleted gateways too.",
  'payment_methods.list_of_all': "The operator's key seals the credentials of all merchants, and is replaced for all.",
  'merchants.insert': "The merchant's id is made by this very insert.",
  'jobs.find_by_shop':
    'A worker goes through the shops that have jobs of a kind, where one of them has many due, without a lock.',
  'jobs.find_due': 'A worker looks for the jobs that are due, whoever they belong to, without a lock.',
  'capture.find_due_attempts':
    'The completer looks for the attempts to pay that are due, whoever they belong to, without a lock.',
  'capture.find_old_drafts': 'Finds what was typed on pages of all merchants for payments that came to nothing.',
  'sweep.capture_attempts_found': 'Finds old attempts to pay of all merchants that became orders.',
  'sweep.released_attempts_found': 'Finds old attempts to pay of all merchants that came to nothing.',
  'sweep.deleted_payment_methods_found': 'Finds gateways of all merchants that were deleted long ago.',
  'sweep.checkouts_found': 'Finds expired checkout tokens of all merchants.',
  'sweep.carts_found': 'Finds expired carts of all merchants.',
  'carts.find_made': 'Finds the merchants that have made carts a day ago, to look at these.',
  'carts.find_due_looks': 'Finds carts of all merchants that are to be looked at, without a lock.',
  'merchants.find_password_hash':
    'Passwords of one e-mail address share their salt, in whichever shops it has accounts.',
  'spending.find_due':
    'Finds orders of all merchants that have changed since they were counted as spent, without a lock.',
  'sales.find_due': 'Finds orders of all merchants that are not counted among the sales of a day yet, without a lock.',
  'sweep.find_sandbox_orders': 'Finds old orders of the sandbox of all merchants.',
  'sweep.find_sandbox_customers': 'Finds idle customers of the sandbox of all merchants.',
  'test_charges.delete_old_found': 'Finds old charges of the test gateways of all merchants.',
  'quotas.find_full_shops': 'Finds the merchants whose sandbox is full.',
  'quotas.find_shops_by_orders':
    'Finds the merchants that have made orders of the sandbox lately, to count what they hold.',
  'quotas.find_shops_by_carts': 'Finds the merchants that have made carts lately, to count what they hold.',
  'quotas.find_shops_by_tokens': 'Finds the merchants that have made tokens lately, to count what they hold.',
  'deliveries.find_due':
    'The dispatcher looks for the deliveries that are due, whoever they belong to, without a lock.',
  'webhooks.list_of_all':
    "The operator's key encrypts the secrets of all merchants' webhooks, and is replaced for all.",
  'webhooks.list_failing': 'cartwright doctor tells the operator of webhooks that fail, of all merchants.',
  'webhooks.find_lines': 'The dispatcher looks for the webhooks, of all merchants, with a due queue, without a lock.',
  'sweep.deliveries_found': 'Finds old deliveries of all merchants.',
  'sweep.events_found': 'Finds old events of all merchants.',
  'sweep.decline_counters_found': 'Finds ended counters of declined payments of all merchants.',
  'sweep.attempts_found': 'Finds ended counters of guesses of all merchants.',
  'sweep.login_tokens_found': 'Finds login tokens of all merchants that were not used in time.',
  'sweep.product_batches_found': 'Finds old batches of products of all merchants.',
  'sweep.mails_found': 'Finds old kept mails of all merchants.',
  'sweep.idempotency_keys_found': 'Finds old Idempotency-Keys of all merchants.',
  'sweep.find_pending_assets': 'Finds uploads of all merchants that never arrived.',
  'sweep.used_file_keys': 'Tells which stored files, of all merchants, no row knows.',
  'sweep.merchants_expiring_orders': 'Finds the merchants, of all, whose unpaid orders expire.',
  'sweep.merchants_with_due_orders':
    'Finds the merchants, among those that it is told, who have an unpaid order that is due.',
  'sweep.open_cancels': 'Finds the orders, of all merchants, that are being cancelled for long.',
  'sweep.undecided_payments': 'Finds payments, of all merchants, that their provider is still looking into.',
  'sweep.provider_messages_found': 'Finds old messages of payment providers of all merchants.',
  'sweep.failed_jobs_found': 'Finds old failed jobs of all merchants.',
}

/** True for statements that tests prepare for setup or inspection. test/architecture.test.ts keeps these names out of src. */
export const isOfTests = (name: string | null): boolean =>
  name !== null && (name.startsWith('test.') || name.startsWith('sweep.test_'))

/** Statements with a parameter in an outer join's condition, and why it is never null: Citus would reject null there (docs/shards.md). */
export const NEVER_NULL: Readonly<Record<string, string>> = {
  'checkouts.find_for_page': 'What is no id is not looked for.',
  'orders.find_of_customer': 'The id is that of the path.',
  'carts.find': 'The id is that of the path.',
  'carts.find_with_wish': 'The id is that of the path.',
  'idempotency_keys.claim': 'Key, route and the two moments are given with every claim.',
}
