import { open } from 'node:fs/promises'

const PIECE = 1 << 20

/** Whether two files hold the same bytes. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  await using first = await open(one, 'r')
  await using second = await open(other, 'r')
  if ((await first.stat()).size !== (await second.stat()).size) return false
  const [piece, otherPiece] = [Buffer.allocUnsafe(PIECE), Buffer.allocUnsafe(PIECE)]
  for (let at = 0; ; at += PIECE) {
    const { bytesRead } = await first.read(piece, 0, PIECE, at)
    const { bytesRead: otherRead } = await second.read(otherPiece, 0, PIECE, at)
    if (
      bytesRead !== otherRead ||
      !piece.subarray(0, bytesRead).equals(otherPiece.subarray(0, bytesRead))
    )
      return false
    if (bytesRead < PIECE) return true
  }
}
