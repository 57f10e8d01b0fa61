import { loadConfig } from '#base/config/config.ts'
import { readDemoUrl } from '#program/sandbox/demo.ts'

/** The address of the gateway of this installation. */
export async function ownUrl(): Promise<string> {
  const config = loadConfig()
  return (await readDemoUrl(config)) ?? config.publicUrl
}
