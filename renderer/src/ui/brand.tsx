/** The mark: two shores and what passes between them. */
export function Mark({ size = 28 }: { size?: number }) {
  return <img src="./isthmus.svg" width={size} height={size} alt="" />
}
