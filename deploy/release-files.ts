/** The parts of a version, or undefined if it is none: 1.2.3, without a suffix. */
function partsOf(version: string): number[] | undefined {
  return /^\d{1,6}\.\d{1,6}\.\d{1,6}$/.test(version) ? version.split('.').map(Number) : undefined
}

/** What is wrong with a new version, beside the current one; undefined: nothing. */
export function problemOfVersion(version: string, current: string): string | undefined {
  const [parts, before] = [partsOf(version), partsOf(current)]
  if (parts === undefined) return `${version} is no version such as 1.2.3`
  const index = parts.findIndex((part, at) => part !== before?.[at])
  if (index === -1 || (parts[index] ?? 0) < (before?.[index] ?? 0))
    return `${version} is not above ${current}`
  return undefined
}

const unreleased = /^## Unreleased\n+([\s\S]*?)(?=^## |$(?![\s\S]))/m

/** What the changelog says of the next release. */
export function unreleasedNotes(changelog: string): string {
  return unreleased.exec(changelog)?.[1]?.trim() ?? ''
}

/** The changelog with the notes of the next release under its version and day. */
export function withSection(changelog: string, version: string, day: string): string {
  return changelog.replace(
    unreleased,
    (_all, notes: string) => `## Unreleased\n\n## ${version} (${day})\n\n${notes}`,
  )
}

/** A manifest with the image of another version. */
export function withImage(manifest: string, version: string): string {
  return manifest
    .replaceAll(/(image: passerelle:)\S+/g, `$1${version}`)
    .replaceAll(/(newTag: )\S+/g, `$1${version}`)
}

interface Made {
  version: string
  commit: string
  lockfileSha256: string
  node: string
  subjects: { name: string; sha256: string }[]
  startedOn: string
  finishedOn: string
}

/** An in-toto statement with the provenance of SLSA 1.0: what was made, of what and by what. */
export function provenanceOf(made: Made): object {
  const { version, commit, lockfileSha256, node, subjects } = made
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:passerelle:release:v1',
        externalParameters: { version },
        internalParameters: { node },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: commit } },
          { name: 'package-lock.json', digest: { sha256: lockfileSha256 } },
        ],
      },
      runDetails: {
        builder: { id: 'urn:passerelle:deploy/release.ts' },
        metadata: { startedOn: made.startedOn, finishedOn: made.finishedOn },
      },
    },
  }
}
