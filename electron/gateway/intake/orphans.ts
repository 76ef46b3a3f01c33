import { diskNews, type IntakeDeps } from './ports.ts'

/**
 * Removes kept files that no row names: the gateway stopped between a file and its row, so that its sender was not told Success and has it
 * still. There are no more of them than instances can arrive at once. Where there are more, the database is older than the files, such as one
 * that was put back from a back-up: then nothing is removed, and a person is told.
 */
export async function removeOrphans(
  { store, setting, onNews }: Pick<IntakeDeps, 'store' | 'setting' | 'onNews'>,
  arriving: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  const { imageFiles, instances } = store
  const isKnown = (file: string) => arriving.has(file) || instances.has(file)
  const most = setting('dimse.maxAssociations')
  const orphans: string[] = []
  for await (const file of imageFiles.orphans(isKnown)) {
    if (signal.aborted) return
    orphans.push(file)
    if (orphans.length > most) break
  }
  const say = (tone: 'warning' | 'danger', text: string) => onNews(diskNews(tone, text))
  if (orphans.length > most) {
    say(
      'danger',
      `The image folder has more than ${most} files that the database does not know. Was an older database put back? None was removed.`,
    )
    return
  }
  // One may have got its row, or be about to, since it was found.
  const removed = orphans.filter((file) => !isKnown(file))
  for (const file of removed) await imageFiles.remove(file)
  if (removed.length > 0) {
    say(
      'warning',
      `${removed.length} ${removed.length === 1 ? 'file' : 'files'} of a transfer that was cut off by a stop of the gateway: removed.`,
    )
  }
}
