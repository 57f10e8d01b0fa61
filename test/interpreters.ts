import { spawnSync } from 'node:child_process'

/** Why tests in PHP cannot run here; false: they can. */
export const noPhp: string | false = missing('php', [
  '-r',
  'exit(extension_loaded("curl") ? 0 : 1);',
])
  ? 'needs php with its curl extension: php-cli and php-curl of Debian'
  : false

/** Why tests in Python cannot run here; false: they can. */
export const noPython: string | false = missing('python3', [
  '-c',
  'import sys; sys.exit(sys.version_info < (3, 9))',
])
  ? 'needs python3, 3.9 or later'
  : false

function missing(program: string, args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status !== 0
}
