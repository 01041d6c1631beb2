/* Runs while the page is still loading. */

import { showTheme } from '../device/theme.ts';
import { timeOf } from '../i18n/dates.ts';
import { askAhead } from '../service/ahead.ts';

// Before anything is drawn: no flash of white.
showTheme();

askAhead();

// A browser loads its date formats with the first date, which takes nearly as long as drawing a
// room.
timeOf(new Date());
