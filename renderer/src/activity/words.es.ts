import { countText } from '../display/amounts.ts'
import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  tabs: {
    label: 'Actividad',
    live: 'En vivo',
    associations: 'Conexiones',
    queries: 'Consultas de la lista de trabajo',
    audit: 'Auditoría',
  },
  forManagers: 'para propietarios y administradores',
  clear: 'Quitar filtros',
  device: 'Dispositivo',
  anyDevice: 'Todos los dispositivos',

  live: {
    title: 'Actividad',
    about:
      'Lo que hacen los dispositivos y el socio, según ocurre. Aquí no aparece ningún paciente.',
    label: 'Lo que ocurre en la red, lo más reciente primero',
    kind: 'Tipo',
    anyKind: 'Todo',
    pause: 'Pausar',
    resume: (count) =>
      count > 0 ? `Reanudar (${count} ${count === 1 ? 'nueva' : 'nuevas'})` : 'Reanudar',
    none: 'Sin actividad por ahora',
    noneText:
      'Cuando un dispositivo se conecta, aparece aquí. Se puede probar con la función de eco («verificar») del dispositivo.',
    noneFiltered: 'Nada de este tipo últimamente',
    noneFilteredText:
      'La vista en vivo guarda los últimos cientos de líneas. Las conexiones anteriores están en Conexiones.',
    kinds: {
      opened: 'Conectado',
      rejected: 'Rechazado',
      echo: 'Eco',
      worklist: 'Lista de trabajo',
      closed: 'Cerrado',
      aborted: 'Interrumpido',
      partner: 'Socio',
      images: 'Imágenes',
      'performed-step': 'Exploración',
      commitment: 'Almacenamiento',
      enrichment: 'Datos del paciente',
      forward: 'Reenviado',
      disk: 'Disco',
      audit: 'Auditoría',
    },
  },

  list: {
    title: 'Conexiones',
    about:
      'Cada conexión de un dispositivo: qué quería, qué recibió y cómo terminó. Aquí no aparece ningún paciente.',
    label: 'Conexiones de los dispositivos, las más recientes primero',
    search: 'Buscar conexiones',
    searchWhat: 'Dispositivo, AE title, dirección o motivo',
    showLabel: 'Qué conexiones',
    shows: { all: 'Todas', open: 'Abiertas ahora', rejected: 'Rechazadas', failed: 'Con fallo' },
    columns: {
      at: 'Hora',
      device: 'Dispositivo',
      story: 'Qué ocurrió',
      end: 'Final',
      took: 'Duró',
    },
    newer: 'Mostrar conexiones más recientes',
    more: 'Cargando conexiones anteriores…',
    last: 'No se guardan conexiones anteriores.',
    none: 'Ninguna conexión todavía',
    noneText:
      'Cuando un dispositivo se conecta, aunque sea rechazado, aparece aquí. Se puede probar con la función de eco («verificar») del dispositivo.',
    noneFiltered: 'Ninguna conexión coincide',
    noneFilteredText:
      'Elegir otros filtros o quitarlos. Las conexiones anteriores a lo que guardan los ajustes ya no están.',
    at: (address) => `Solo desde ${address}`,
    anyAddress: 'Desde cualquier dirección',
    unnamed: 'Sin AE title',
    times: (count) => `${count} conexiones`,
    timesMeaning:
      'Este dispositivo se conectó demasiadas veces para guardar cada conexión; las de un mismo segundo comparten esta fila.',
    callers: 'Muchos dispositivos',
  },

  ends: {
    open: { name: 'Abierta', meaning: 'El dispositivo está conectado ahora.' },
    released: {
      name: 'Cerrada con normalidad',
      meaning: 'El dispositivo terminó la conexión como corresponde.',
    },
    aborted: {
      name: 'Interrumpida',
      meaning: 'La conexión terminó sin que el dispositivo la cerrara correctamente.',
    },
    rejected: {
      name: 'Rechazada',
      meaning: 'La pasarela rechazó la conexión; el motivo está al lado.',
    },
    lost: {
      name: 'Terminó con la pasarela',
      meaning: 'Estaba abierta cuando la pasarela o este PC se detuvo.',
    },
  },
  endedInFailure: 'Cerrada, con fallos',
  endedInFailureMeaning:
    'El dispositivo cerró bien la conexión, pero algo de lo que pidió se respondió con un fallo.',

  story: {
    connected: 'se conectó',
    rejected: 'fue rechazado',
    nothing: 'se conectó y no pidió nada',
    echoes: (count) => (count === 1 ? 'probó la conexión' : `probó la conexión ${count} veces`),
    queries: (count, exams) => {
      const got =
        exams === 0
          ? 'no recibió ninguna exploración'
          : `recibió ${countText(exams, 'exploración', 'exploraciones')}`
      return count === 1
        ? `pidió su lista de trabajo y ${got}`
        : `pidió su lista de trabajo ${countText(count, 'vez', 'veces')} y ${got}`
    },
    instances: (count, size) =>
      `envió ${countText(count, 'imagen u objeto', 'imágenes y objetos')} (${size})`,
    steps: (count) =>
      count === 1
        ? 'informó del avance de una exploración'
        : `informó ${count} veces del avance de exploraciones`,
    commitments: (count) =>
      count === 1
        ? 'pidió confirmar el almacenamiento'
        : `pidió ${count} veces confirmar el almacenamiento`,
    failures: (count) =>
      count === 1 ? 'una petición falló' : `${countText(count, 'petición', 'peticiones')} fallaron`,
  },

  one: {
    title: (who) => `Conexión de ${who}`,
    back: 'Todas las conexiones',
    copy: 'Copiar para soporte',
    copied: 'Copiado: pegar en un mensaje',
    copyMeaning:
      'Quién llamó, qué ocurrió y qué se acordó, como texto. Contiene AE titles y direcciones; ningún paciente.',
    deviceQueries: 'Consultas de este dispositivo',
    deviceAll: 'Todas sus conexiones',
    facts: {
      device: 'Dispositivo',
      aeTitle: 'AE title',
      called: 'Llamó a',
      address: 'Dirección',
      transport: 'Cifrado',
      began: 'Comenzó',
      ended: 'Terminó',
      lasted: 'Duró',
      why: 'Motivo',
      times: 'Representa',
    },
    unknownDevice: 'no está en la lista de dispositivos',
    wrongTitle: (ours) => `esta pasarela es ${ours}`,
    plain: 'ninguno',
    notYet: 'está abierta',
    notKnown: 'no se sabe',
    happened: 'Qué ocurrió',
    openQuery: 'Abrir la consulta',
    openImages: 'Abrir las imágenes',
    omitted: (lines) => `${lines} más no se guardaron.`,
    noLines: 'No se guarda ninguna línea de esta conexión.',
    agreed: 'Qué se propuso y qué se acordó',
    agreedAbout: 'Lo que el dispositivo ofreció hacer y lo que la pasarela aceptó.',
    notAgreed: 'No se acordó nada: la conexión fue rechazada, o lo acordado ya no se guarda.',
    termsFacts: { implementation: 'Software del dispositivo', longest: 'PDU más larga que acepta' },
    anyLength: 'cualquiera',
    bytes: (bytes) => `${bytes} bytes`,
    contexts: {
      id: 'N.º',
      service: 'Servicio',
      proposed: 'Sintaxis de transferencia propuestas',
      result: 'Resultado',
    },
    results: [
      'Aceptado',
      'Rechazado',
      'Rechazado',
      'Servicio no ofrecido',
      'Sin sintaxis de transferencia común',
    ],
    gone: 'Esta conexión ya no se guarda',
    goneText:
      'Las conexiones se guardan el tiempo que indican los ajustes (activity.retentionDays).',
  },
}
