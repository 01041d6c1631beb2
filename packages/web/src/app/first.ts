/* What runs before the page, while that is still loaded. */

import { timeOf } from '../i18n/dates.ts';
import { askAhead } from '../service/ahead.ts';

askAhead();

// A browser loads how dates are written when the first is, which takes it nearly as long as to draw a room.
timeOf(new Date());
