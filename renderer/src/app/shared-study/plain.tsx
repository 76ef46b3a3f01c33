import { Title } from '@mantine/core'
import { t } from '../../i18n/t.ts'
import { Mark } from '../../ui/brand.tsx'
import css from './shared-study.module.css'

/** A page that only says how things are. */
export function MessagePage({ title, children }: { title: string; children?: string }) {
  return (
    <main className={css.plain}>
      <div className={css.card}>
        <div className={css.head}>
          <Mark size={26} />
          <span className={css.brand}>{t('ui.shared-study.brand')}</span>
        </div>
        <div role="status">
          <Title order={1}>{title}</Title>
          {children && <p>{children}</p>}
        </div>
      </div>
    </main>
  )
}
