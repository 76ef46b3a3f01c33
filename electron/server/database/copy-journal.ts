import fs from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from '#server/database/data-directory.ts'
import { isImageFilePath, withStorageFault } from '#server/database/recovery-folder.ts'

/** A note that lists copies still being written. */
const INCOMPLETE_SUFFIX = '.copies'
/** The same note, renamed once every copy is complete and the rows may be committed. */
const COMPLETE_SUFFIX = '.complete'

/** Keeps track of files in `images` that are copies made by the gateway, as notes in the spool. */
export class CopyJournal {
  readonly #spool: string
  readonly #uuid: () => string

  constructor(spool: string, uuid: () => string) {
    this.#spool = spool
    this.#uuid = uuid
  }

  /**
   * Durably records which files in `images` the gateway is about to write, so that files without a
   * row are not taken for received images after a crash. Returns the name of the note. @throws
   * StorageFault
   */
  note(files: readonly string[]): string {
    return withStorageFault('write', () => {
      fs.mkdirSync(this.#spool, { recursive: true, mode: 0o700 })
      const note = `${this.#uuid()}${INCOMPLETE_SUFFIX}`
      const fd = fs.openSync(join(this.#spool, note), 'wx', 0o600)
      try {
        fs.writeFileSync(fd, files.join('\n'))
        fs.fsyncSync(fd)
      } finally {
        fs.closeSync(fd)
      }
      syncFolder(this.#spool)
      return note
    })
  }

  /**
   * Durably records that all copies of the note are complete, just before their rows are committed.
   * From then on a missing row may mean that the database is an older one. Returns the new name of
   * the note. @throws StorageFault
   */
  complete(note: string): string {
    return withStorageFault('rename', () => {
      const complete = `${note.slice(0, -INCOMPLETE_SUFFIX.length)}${COMPLETE_SUFFIX}`
      fs.renameSync(join(this.#spool, note), join(this.#spool, complete))
      syncFolder(this.#spool)
      return complete
    })
  }

  /** Notes left by earlier runs. `isComplete`: the rows of these copies may have been committed. */
  list() {
    return withStorageFault('read', () => {
      const names = fs.existsSync(this.#spool) ? fs.readdirSync(this.#spool) : []
      const notes = names.filter(
        (name) => name.endsWith(INCOMPLETE_SUFFIX) || name.endsWith(COMPLETE_SUFFIX),
      )
      return notes.map((note) => ({
        note,
        files: fs.readFileSync(join(this.#spool, note), 'utf8').split('\n').filter(isImageFilePath),
        isComplete: note.endsWith(COMPLETE_SUFFIX),
      }))
    })
  }

  /** Deletes the note. @throws StorageFault */
  forget(note: string): void {
    withStorageFault('unlink', () => {
      fs.rmSync(join(this.#spool, note), { force: true })
      syncFolder(this.#spool)
    })
  }
}
