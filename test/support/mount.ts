import { execFileSync } from 'node:child_process'
import {
  constants,
  copyFileSync,
  mkdtempSync,
  rmdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const mount = (...words: string[]) => execFileSync('mount', words, { stdio: 'ignore' })
// Lazily: a file that is still open must not keep it.
const unmount = (path: string) => execFileSync('umount', ['-l', path], { stdio: 'ignore' })

/**
 * A disk of so many MiB in memory, gone when it is disposed: writing more to it fails with a real
 * ENOSPC. Root only.
 */
export function smallDisk(mebibytes: number): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'isthmus-disk-'))
  mount('-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'isthmus-test', path)
  return {
    path,
    [Symbol.dispose]() {
      unmount(path)
      rmdirSync(path)
    },
  }
}

/**
 * A disk of so many MiB with ext4, gone when it is disposed. After `fail` it can only be read, also
 * by who has a file of it open for writing: what ext4 does by itself when its journal cannot be
 * written (`errors=remount-ro`). `cutPower` keeps what has reached the disk at that moment, without
 * the bytes and names that only the page cache has; what it returns puts that in the place of the
 * disk. Root only.
 */
export function failingDisk(
  mebibytes: number,
): { readonly path: string; fail(): void; cutPower(): () => void } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'isthmus-disk-'))
  const image = `${path}.img`
  writeFileSync(image, '')
  truncateSync(image, mebibytes << 20)
  execFileSync('mkfs.ext4', ['-q', '-F', image], { stdio: 'ignore' })
  // The journal is committed by nobody but who syncs.
  mount('-o', 'loop,commit=3600', image, path)
  const cuts: string[] = []
  return {
    path,
    fail: () => mount('-o', 'remount,abort', path),
    cutPower() {
      const cut = `${image}.${cuts.length}`
      cuts.push(cut)
      copyFileSync(image, cut, constants.COPYFILE_FICLONE)
      return () => {
        unmount(path)
        mount('-o', 'loop,commit=3600', cut, path)
      }
    },
    [Symbol.dispose]() {
      unmount(path)
      rmdirSync(path)
      for (const file of [image, ...cuts]) rmSync(file)
    },
  }
}

/** Makes a folder read-only, for root as well, until it is disposed. Root only. */
export function readOnly(folder: string): Disposable {
  mount('--bind', folder, folder)
  try {
    mount('-o', 'remount,bind,ro', folder)
  } catch (error) {
    unmount(folder)
    throw error
  }
  return { [Symbol.dispose]: () => unmount(folder) }
}

/** Whether this machine lets a test mount anything. */
export function canMount(): boolean {
  if (process.getuid?.() !== 0) return false
  try {
    smallDisk(1)[Symbol.dispose]()
    return true
  } catch {
    return false
  }
}

/** Whether it lets one make a file system in a file, which needs loop devices. */
export function canFailDisks(): boolean {
  if (process.getuid?.() !== 0) return false
  try {
    failingDisk(8)[Symbol.dispose]()
    return true
  } catch {
    return false
  }
}
