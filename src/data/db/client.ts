import pg from 'pg'

/** Runs `work` on one connection outside of any pool, and then closes it. */
export async function withClient<T>(
  { url, name }: { url: string; name?: string },
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    ...(name !== undefined && { application_name: name }),
    connectionTimeoutMillis: 10_000,
  })
  // A connection that breaks fails the next statement. Without a listener the error event would end
  // the process.
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}
