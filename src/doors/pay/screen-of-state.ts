import type { PayerView } from '#money/links/checkout.ts'
import { chooseScreen } from './choose-screen.ts'
import { expiredScreen, failedScreen, paidScreen } from './ended-screens.ts'
import type { Screen } from './page.ts'
import type { Visit } from './visit.ts'
import { checkingScreen, waitingScreen } from './waiting-screens.ts'

/** The screen for the present state of a link; while it is open, with what a form was told. */
export function screenOf(visit: Visit, view: PayerView): Screen {
  const screen = stateScreen(visit, view)
  const { remark, waitSeconds = 0 } = visit.note
  const isOver = ['paid', 'failed', 'expired'].includes(view.state.kind)
  if (remark === undefined || isOver) return screen
  const { texts } = visit
  const remarks = {
    too_late: texts.tooLate,
    busy: texts.busyWhat(waitSeconds),
    internal: texts.internalErrorWhat,
    foreign: texts.foreignWhat,
    malformed: texts.malformedWhat,
  }
  return { ...screen, remark: remarks[remark] }
}

function stateScreen(visit: Visit, view: PayerView): Screen {
  const { state } = view
  switch (state.kind) {
    case 'choose':
      return chooseScreen(visit, view)
    case 'waiting':
      return waitingScreen(visit, view, state)
    case 'checking':
      return checkingScreen(visit, view, state.attempt)
    case 'paid':
      return paidScreen(visit, view, state)
    case 'failed':
      return failedScreen(visit, view, state)
    case 'expired':
      return expiredScreen(visit, view)
  }
}
