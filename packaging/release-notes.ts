/**
 * The part of CHANGELOG.md that tells of a version, or of what has no version yet; undefined where
 * there is none.
 */
export function releaseNotes(changelog: string, version: string): string | undefined {
  const parts = changelog.split(/^## /m).slice(1)
  const part = [version, 'Unreleased']
    .map((name) => parts.find((one) => one.split(/[\s—–]/, 1)[0]?.replace(/[[\]]/g, '') === name))
    .find(Boolean)
  return part?.slice(part.indexOf('\n')).trim() || undefined
}
