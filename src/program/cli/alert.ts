import type { Command } from 'commander'
import { loadConfig } from '#base/config/config.ts'
import { systemClock as clock } from '#base/kit/clock.ts'
import { Problem } from '#base/kit/problem.ts'
import { openAlerts } from '#operations/alerts/open.ts'
import { actor, print } from './terminal.ts'

/** `passerelle alert`: whether alerts reach somebody. */
export function addAlertCommands(program: Command): void {
  program
    .command('alert')
    .description('check that alerts reach somebody')
    .command('test')
    .description('send a test alert the way all alerts go')
    .action(async (_options, command: Command) => {
      // Without the database: it may be what is broken.
      const { alertmanagerUrl: url, publicUrl } = loadConfig()
      const alerts = openAlerts({ url, clock, publicUrl: () => publicUrl })
      if (alerts === null)
        throw new Problem('ALERTMANAGER_URL is not set: docs/operations.md says what it is.')
      const asked = await alerts.sendTest(actor())
      if (!asked.isAnswered)
        throw new Problem(`Alertmanager refused: ${asked.why}. Nobody is notified of alerts.`)
      print(command, { sent: true }, [
        'Alertmanager accepted the test alert: it must arrive through every channel in a minute.',
      ])
    })
}
