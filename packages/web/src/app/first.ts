/* Runs while the page is still loading. */

import { showTheme } from '../device/theme.ts';
import { timeOf } from '../i18n/dates.ts';
import { askAhead } from '../service/ahead.ts';

// Before anything is drawn: no flash of white.
showTheme();

askAhead();

// A browser loads how dates are written when the first is, which takes it nearly as long as to draw
// a room.
timeOf(new Date());
