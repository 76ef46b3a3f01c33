import { metaData } from '@cornerstonejs/core'
import type { ImageList } from './images.ts'
import { hasModule, moduleOf } from './modules.ts'

/** Gives Cornerstone what the list knows, as it is now. @returns the way to stop */
export function provideMetadata(list: Pick<ImageList, 'find'>): () => void {
  const provider = (type: string, imageId: unknown) => {
    if (typeof imageId !== 'string' || !imageId.startsWith('isthmus:') || !hasModule(type))
      return undefined
    const found = list.find(imageId)
    return found && moduleOf(type, found)
  }
  metaData.addProvider(provider, 10_000)
  return () => metaData.removeProvider(provider)
}
