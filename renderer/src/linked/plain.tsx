import { Title } from '@mantine/core'
import { Mark } from '../shell/brand.tsx'
import css from './linked.module.css'
import { words } from './words.ts'

/** A page that only says how things are. */
export function Plain({ title, children }: { title: string; children?: string }) {
  return (
    <main className={css.plain}>
      <div className={css.card}>
        <div className={css.head}>
          <Mark size={26} />
          <span className={css.brand}>{words.brand}</span>
        </div>
        <div role="status">
          <Title order={1}>{title}</Title>
          {children && <p>{children}</p>}
        </div>
      </div>
    </main>
  )
}
