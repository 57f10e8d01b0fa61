import { spawn } from 'node:child_process'
import { once } from 'node:events'

// Without a shell: an address is one argument, whatever is in it.
const openers: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  linux: ['xdg-open'],
}

/** Opens an address in the browser; false when this machine has nothing to open it with. */
export async function openInBrowser(url: string): Promise<boolean> {
  const [program = 'xdg-open', ...args] = openers[process.platform] ?? []
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  const started = await once(child, 'spawn').then(
    () => true,
    () => false,
  )
  // The browser outlives this command.
  child.unref()
  return started
}
