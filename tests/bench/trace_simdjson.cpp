// trace_simdjson.cpp - the same nine fields of each event by simdjson's on-demand reader, for trace.py: "SECONDS EVENTS".
#include <ctime>
#include <cstdio>
#include <simdjson.h>

using namespace simdjson;

int main(int, char **argv)
{
	std::clock_t began = std::clock();
	padded_string json = padded_string::load(argv[1]);
	ondemand::parser parser;
	ondemand::document doc = parser.iterate(json);
	unsigned long events = 0, sum = 0;

	for (ondemand::object event : doc["traceEvents"]) {
		for (auto field : event) {
			std::string_view key = field.unescaped_key(), text;

			if (key == "ph" || key == "cat" || key == "name") {
				if (!field.value().get_string().get(text))
					sum += text.size();
			} else if (key == "ts" || key == "dur" || key == "pid" || key == "tid") {
				double number;

				if (!field.value().get_double().get(number))
					sum += (unsigned long)number;
			} else if (key == "args") {
				ondemand::object args;

				if (field.value().get_object().get(args))
					continue;
				for (auto arg : args) {
					std::string_view name = arg.unescaped_key();
					int64_t number;

					if ((name == "correlation" || name == "stream" || name == "External id") &&
					    !arg.value().get_int64().get(number))
						sum += (unsigned long)number;
				}
			}
		}
		events++;
	}
	std::printf("%.6f %lu %lu\n", (double)(std::clock() - began) / CLOCKS_PER_SEC, events, sum);
}
