import { readFileSync } from 'node:fs'

type Environment = Record<string, string | undefined>

/** Settings that may be in a file, as container engines and systemd hand secrets over. */
export const secretNames = ['DATABASE_URL', 'SECRET_KEY', 'SECRET_KEY_OTHERS', 'SMTP_URL'] as const

// Where nothing else stands for them, their files may be empty: units and images always name them.
const isOptional = (name: string) => name === 'SECRET_KEY_OTHERS' || name === 'SMTP_URL'

/** The environment with the content of the file that NAME_FILE names in the place of NAME. */
export function withSecretFiles(
  environment: Environment,
  refuse: (sentence: string) => void,
): Environment {
  const found = secretNames.flatMap((name): [string, string][] => {
    const path = environment[`${name}_FILE`]?.trim()
    if (!path) return []
    const value = readSecret(path)
    if (value === '' && isOptional(name)) return []
    if (environment[name]?.trim()) refuse(`${name} and ${name}_FILE are both set: keep one.`)
    if (value === undefined) refuse(`${name}_FILE names a file that cannot be read: ${path}.`)
    else if (value === '') refuse(`${name}_FILE names a file that is empty: ${path}.`)
    return [[name, value ?? '']]
  })
  return found.length === 0 ? environment : { ...environment, ...Object.fromEntries(found) }
}

function readSecret(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return undefined
  }
}
