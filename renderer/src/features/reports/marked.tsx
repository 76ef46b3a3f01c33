/** A text in which each of the searched words is marked. */
export function HighlightedText({ text, search }: { text: string; search: string }) {
  return (
    <>
      {markedParts(text, search).map(({ at, part, isHit }) =>
        isHit ? <mark key={at}>{part}</mark> : <span key={at}>{part}</span>,
      )}
    </>
  )
}

interface MarkedPart {
  readonly at: number
  readonly part: string
  readonly isHit: boolean
}

function markedParts(text: string, search: string): MarkedPart[] {
  const wanted = search.split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return [{ at: 0, part: text, isHit: false }]
  const wordPattern = new RegExp(`(${wanted.map((word) => escaped(word)).join('|')})`, 'giu')
  let at = 0
  return text.split(wordPattern).map((part, index) => {
    const marked = { at, part, isHit: index % 2 === 1 }
    at += part.length
    return { ...marked, at: marked.at * 2 + (index % 2) }
  })
}

const escaped = (word: string) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
