import { readFileSync } from 'node:fs'

/** What part of the processor time that was wanted here the host gives to others, from now on. */
export function stolenPart(): () => number {
  const [wanted, stolen] = readTicks()
  return () => {
    const [wantedNow, stolenNow] = readTicks()
    return wantedNow === wanted ? 0 : (stolenNow - stolen) / (wantedNow - wanted)
  }
}

/** Ticks since the machine started; zeros where there is no /proc. */
function readTicks(): [wanted: number, stolen: number] {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
    const [, user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, stolen = 0] = line
      .split(/\s+/)
      .map(Number)
    return [user + nice + system + irq + softIrq + stolen, stolen]
  } catch {
    return [0, 0]
  }
}
