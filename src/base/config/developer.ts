import { ConfigProblems } from './problems.ts'

/** What the commands of a merchant's developer take from the environment; null: it is not set. */
interface DeveloperSettings {
  /** A gateway, with an API key for it. */
  url: string | null
  key: string | null
  /** Whether a browser can be opened. */
  hasDisplay: boolean
}

/** Reads them from the environment of this process, which need have no setting of the gateway. */
export function loadDeveloperSettings(): DeveloperSettings {
  const url = text('PASSERELLE_URL')?.replace(/\/+$/, '') ?? null
  if (url !== null && !(URL.canParse(url) && /^https?:\/\//.test(url)))
    throw new ConfigProblems([
      'PASSERELLE_URL must be an address that begins with http:// or https://.',
    ])
  const hasDisplay =
    process.platform !== 'linux' || Boolean(text('DISPLAY') ?? text('WAYLAND_DISPLAY'))
  return { url, key: text('PASSERELLE_KEY') ?? null, hasDisplay }
}

/** Who called sudo, or the wrapper of deploy/systemd, for this command; null: nobody is known. */
export function accountBeforeSudo(): string | null {
  return text('SUDO_USER') ?? null
}

function text(name: string): string | undefined {
  return process.env[name]?.trim() || undefined
}
